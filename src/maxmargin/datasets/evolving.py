"""Data that change: generators, loaders, and networks as rows."""

import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import StandardScaler, normalize
from sklearn.utils import check_random_state

from maxmargin.datasets.suite import MissingData

CENTERS = np.array([[3.0, 5.0], [3.0, 1.0]])
DIRECTIONS = np.array([[1.0, -1.0], [-1.0, 1.0]])
DAY = 86_400

# Names, and the width of a time step in the units of the file.
EVOLVING = {
    "us_senate_rollcalls_80_110": 1,
    "high_school_2013_contacts": DAY,
    "primary_school_contacts": DAY,
    "hospital_ward_contacts": DAY,
    "keystroke": 1,
    "gas_sensor_drift_8batches": 1,
    "elec2": 28,
}


class TimedSamples(NamedTuple):
    """One snapshot with the classes of its objects."""

    time: Any
    ids: np.ndarray
    X: Any  # (n_objects, n_features), dense or CSR
    y: np.ndarray


def make_evolving_gaussians(
    n_objects: int = 1500,
    n_steps: int = 12,
    *,
    drift: float = 0.5,
    random_state: int | np.random.RandomState | None = None,
) -> list[TimedSamples]:
    """Draw two Gaussian clusters that pass each other, as Fan et al. (2012) do.

    Half of the points start around (3, 5), half around (3, 1), with unit variance.
    From step to step each moves by uniform noise between 0 and ``drift`` along each
    axis, to the lower right in the first cluster, to the upper left in the second.

    Parameters
    ----------
    n_objects : int, default=1500
    n_steps : int, default=12
        Steps after the start, so that there is one more snapshot.
    drift : float, default=0.5
        Largest move along an axis in one step.
    random_state : int, RandomState instance or None, default=None

    Returns
    -------
    snapshots : list of TimedSamples
        With time, ids, X and y.

    Examples
    --------
    >>> from maxmargin.datasets import make_evolving_gaussians
    >>> steps = make_evolving_gaussians(100, 3, random_state=0)
    >>> len(steps), steps[0].X.shape
    (4, (100, 2))
    """
    random = check_random_state(random_state)
    y = np.repeat([0, 1], [n_objects - n_objects // 2, n_objects // 2])
    X = CENTERS[y] + random.randn(n_objects, 2)
    return _drift(X, y, drift * DIRECTIONS, n_steps, random)


def drift_classes(
    X: Any,
    y: Any,
    n_steps: int = 12,
    *,
    drift: float = 0.1,
    random_state: int | np.random.RandomState | None = None,
) -> list[TimedSamples]:
    """Let the classes of a data set drift, each in a direction of its own.

    Features are brought to [0, 1]. From step to step each sample moves by uniform noise
    between 0 and ``drift`` along each axis, with signs that its class keeps.

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features)
    y : array-like of shape (n_objects,)
        Classes.
    n_steps : int, default=12
    drift : float, default=0.1
    random_state : int, RandomState instance or None, default=None

    Returns
    -------
    snapshots : list of TimedSamples

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin.datasets import drift_classes
    >>> steps = drift_classes(*load_iris(return_X_y=True), n_steps=3, random_state=0)
    >>> len(steps), steps[0].X.shape
    (4, (150, 4))
    """
    random = check_random_state(random_state)
    X = np.asarray(X, dtype=np.float64)
    low, high = X.min(axis=0), X.max(axis=0)
    X = (X - low) / np.where(high > low, high - low, 1.0)
    y = np.unique(np.asarray(y), return_inverse=True)[1]
    signs = random.choice([-1.0, 1.0], size=(int(y.max()) + 1, X.shape[1]))
    return _drift(X, y, drift * signs, n_steps, random)


def _drift(
    X: np.ndarray,
    y: np.ndarray,
    directions: np.ndarray,
    n_steps: int,
    random: np.random.RandomState,
) -> list[TimedSamples]:
    ids = np.arange(len(X))
    snapshots = [TimedSamples(0, ids, X, y)]
    for time in range(1, n_steps + 1):
        X = X + random.rand(*X.shape) * directions[y]
        snapshots.append(TimedSamples(time, ids, X, y))
    return snapshots


def network_snapshots(edges: Any, n_nodes: int, width: float = 1) -> list[TimedSamples]:
    """Turn an edge list with times into rows that can be clustered.

    Edges of one stretch of time make a network with the adjacency A, whose entries are
    ``log(1 + number of edges)``, and whose diagonal is that of the strongest tie of
    each node, so that a node is among its own neighbours. The row of a node in
    ``D^-1/2 A D^-1/2``, brought to length one, over all nodes as columns, is what it is
    told by: nodes with the same neighbours are alike, in this stretch and across
    stretches.

    Parameters
    ----------
    edges : array-like of shape (n_edges, 3)
        Time and two nodes, numbers from 0 to n_nodes - 1. An edge counts as often as
        it occurs.
    n_nodes : int
    width : float, default=1
        Length of a stretch of time; they begin at multiples of it.

    Returns
    -------
    snapshots : list of TimedSamples
        With the number of the stretch as time, the nodes that have an edge as ids, and
        sparse rows as X; y is -1.

    Examples
    --------
    >>> from maxmargin.datasets import network_snapshots
    >>> steps = network_snapshots([(0, 0, 1), (0, 1, 2), (1, 0, 2)], n_nodes=3)
    >>> [step.ids.tolist() for step in steps]
    [[0, 1, 2], [0, 2]]
    """
    edges = np.asarray(edges)
    if edges.ndim != 2 or edges.shape[1] != 3:
        raise ValueError(f"edges have shape {edges.shape}: give time and two nodes.")
    nodes = edges[:, 1:].astype(np.int64)
    if len(nodes) and (nodes.min() < 0 or nodes.max() >= n_nodes):
        raise ValueError(
            f"edges have nodes from {nodes.min()} to {nodes.max()}: they must lie "
            f"between 0 and n_nodes - 1 = {n_nodes - 1}."
        )
    stretch = np.floor_divide(edges[:, 0], width).astype(np.int64)
    snapshots = []
    for time in np.unique(stretch):
        pairs = nodes[stretch == time]
        pairs = pairs[pairs[:, 0] != pairs[:, 1]]
        if not len(pairs):
            continue
        both = np.concatenate([pairs, pairs[:, ::-1]])
        ones = np.ones(len(both))
        A = sp.csr_array((ones, (both[:, 0], both[:, 1])), shape=(n_nodes, n_nodes))
        A.sum_duplicates()
        A.data = np.log1p(A.data)
        rows, ids = similarity_rows(A)
        snapshots.append(TimedSamples(int(time), ids, rows, np.full(len(ids), -1)))
    return snapshots


def similarity_rows(A: Any) -> tuple[Any, np.ndarray]:
    """Return the nodes with a tie, their rows of the normalised adjacency in front.

    Rows have length one, over all nodes as columns.

    Parameters
    ----------
    A : {array-like, sparse matrix} of shape (n_nodes, n_nodes)
        Symmetric, without negative values.
    """
    A = sp.csr_array(A)
    strongest = A.max(axis=1).toarray().ravel()
    A = A + sp.diags_array(np.maximum(strongest - A.diagonal(), 0.0))
    degrees = A.sum(axis=1)
    ids = np.flatnonzero(degrees > 0)
    roots = 1.0 / np.sqrt(np.where(degrees > 0, degrees, 1.0))
    rows = sp.csr_matrix(sp.diags_array(roots) @ A @ sp.diags_array(roots))
    return normalize(rows[ids]), ids


def load_evolving(name: str) -> list[TimedSamples]:
    """Return a public data set with time steps, from the folder of the data.

    The roll calls give the share of votes in which two senators agree, beyond what
    chance gives, as a network over all senators; contacts give one for each day or
    part of a day; the others are measurements, standardised over all times.

    Parameters
    ----------
    name : str
        One of ``maxmargin.datasets.EVOLVING``.

    Returns
    -------
    snapshots : list of TimedSamples

    Examples
    --------
    >>> from maxmargin.datasets import EVOLVING, MissingData, load_evolving
    >>> try:
    ...     steps = load_evolving(sorted(EVOLVING)[0])
    ... except MissingData:
    ...     steps = []  # there is no folder MAXMARGIN_DATA
    """
    if name not in EVOLVING:
        raise ValueError(f"{name!r} is not known: use one of {sorted(EVOLVING)}.")
    path = Path(os.environ.get("MAXMARGIN_DATA", "")) / f"{name}.npz"
    if "MAXMARGIN_DATA" not in os.environ or not path.exists():
        raise MissingData(f"{name}: not in the folder MAXMARGIN_DATA.")
    with np.load(path) as file:
        wanted = ("X", "y", "time", "object", "edges", "n_rollcalls")
        arrays = {key: file[key] for key in wanted if key in file}
    if "edges" in arrays:
        return _contacts(arrays, EVOLVING[name])
    if "n_rollcalls" in arrays:
        return _rollcalls(arrays)
    return _measurements(arrays, EVOLVING[name])


def _contacts(arrays: dict[str, np.ndarray], width: int) -> list[TimedSamples]:
    y = arrays["y"]
    steps = network_snapshots(arrays["edges"], len(y), width)
    return [step._replace(y=y[step.ids]) for step in steps]


def _rollcalls(arrays: dict[str, np.ndarray]) -> list[TimedSamples]:
    n_senators = int(arrays["object"].max()) + 1
    snapshots = []
    for time in np.unique(arrays["time"]):
        here = np.flatnonzero(arrays["time"] == time)
        votes = arrays["X"][here].astype(np.float64)
        both = np.abs(votes) @ np.abs(votes).T  # votes in which two took part
        agreement = np.maximum(votes @ votes.T, 0.0) / np.maximum(both, 1.0)
        np.fill_diagonal(agreement, 0.0)
        senators = arrays["object"][here]
        A = np.zeros((n_senators, n_senators))
        A[np.ix_(senators, senators)] = agreement
        rows, ids = similarity_rows(A)
        order = np.argsort(senators)
        place = order[np.searchsorted(senators[order], ids)]
        snapshots.append(TimedSamples(int(time), ids, rows, arrays["y"][here][place]))
    return snapshots


def _measurements(arrays: dict[str, np.ndarray], width: int) -> list[TimedSamples]:
    X = StandardScaler().fit_transform(arrays["X"].astype(np.float64))
    steps = arrays["time"] // width
    return [
        TimedSamples(int(time), here, X[here], arrays["y"][here])
        for time in np.unique(steps)
        for here in [np.flatnonzero(steps == time)]
    ]
