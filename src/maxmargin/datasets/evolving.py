"""Data that change over time: generators, and networks as samples."""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize
from sklearn.utils import check_random_state

CENTERS = np.array([[3.0, 5.0], [3.0, 1.0]])
DIRECTIONS = np.array([[1.0, -1.0], [-1.0, 1.0]])


class TimedSamples(NamedTuple):
    """The objects of one time step, with their classes."""

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
    """Generate two Gaussian clusters that pass each other, as in Fan et al. (2012).

    Half of the objects start around (3, 5), half around (3, 1), with unit variance.
    In each step they move by uniform noise between 0 and ``drift`` along each axis, to
    the lower right in the first cluster, to the upper left in the second.

    Parameters
    ----------
    n_objects : int, default=1500
        Number of objects.
    n_steps : int, default=12
        Number of steps; there is one more snapshot, the start.
    drift : float, default=0.5
        Largest move along an axis in one step.
    random_state : int, RandomState instance or None, default=None
        Seed of the start and the moves.

    Returns
    -------
    snapshots : list of TimedSamples

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
    """Let the classes of a data set drift, each in its own direction.

    Features are scaled to [0, 1]. In each step every sample moves by uniform noise
    between 0 and ``drift`` along each axis, with random signs that are the same for all
    samples of a class and all steps.

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features)
        Samples at the start.
    y : array-like of shape (n_objects,)
        Their classes.
    n_steps : int, default=12
        Number of steps; there is one more snapshot, the start.
    drift : float, default=0.1
        Largest move along an axis in one step.
    random_state : int, RandomState instance or None, default=None
        Seed of the directions and the moves.

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
    """Convert an edge list with times to snapshots with a sample for each node.

    The edges of one time step make a network with the adjacency matrix A. Its entries
    are ``log(1 + number of edges)``. Its diagonal has the largest entry of each row, so
    that a node is among its own neighbours. The features of a node are its row of
    ``D^-1/2 A D^-1/2``, with D the diagonal matrix of the row sums, scaled to length
    one: nodes with the same neighbours are similar, within a snapshot and between
    snapshots.

    Parameters
    ----------
    edges : array-like of shape (n_edges, 3)
        Time and two nodes, ints from 0 to n_nodes - 1. An edge counts as often as it
        occurs.
    n_nodes : int
        Number of nodes.
    width : float, default=1
        Length of a time step; steps begin at multiples of it.

    Returns
    -------
    snapshots : list of TimedSamples
        ``time`` is the number of the time step, ``ids`` are the nodes that have an
        edge, ``X`` is sparse with a column for each node, and ``y`` is -1.

    Examples
    --------
    >>> from maxmargin.datasets import network_snapshots
    >>> steps = network_snapshots([(0, 0, 1), (0, 1, 2), (1, 0, 2)], n_nodes=3)
    >>> [step.ids.tolist() for step in steps]
    [[0, 1, 2], [0, 2]]
    """
    edges = np.asarray(edges)
    if edges.ndim != 2 or edges.shape[1] != 3:
        raise ValueError(
            f"edges has shape {edges.shape}: give three columns, time and two nodes."
        )
    nodes = edges[:, 1:].astype(np.int64)
    if len(nodes) and (nodes.min() < 0 or nodes.max() >= n_nodes):
        raise ValueError(
            f"edges has nodes from {nodes.min()} to {nodes.max()}: they must be "
            f"between 0 and n_nodes - 1 = {n_nodes - 1}."
        )
    steps = np.floor_divide(edges[:, 0], width).astype(np.int64)
    snapshots = []
    for time in np.unique(steps):
        pairs = nodes[steps == time]
        pairs = pairs[pairs[:, 0] != pairs[:, 1]]
        if not len(pairs):
            continue
        both = np.concatenate([pairs, pairs[:, ::-1]])
        ones = np.ones(len(both))
        A = sp.csr_array((ones, (both[:, 0], both[:, 1])), shape=(n_nodes, n_nodes))
        A.sum_duplicates()
        A.data = np.log1p(A.data)
        ids, X = node_samples(A)
        snapshots.append(TimedSamples(int(time), ids, X, np.full(len(ids), -1)))
    return snapshots


def adjacency_snapshot(
    A: Any, ids: Any, n_nodes: int, time: Any = None
) -> TimedSamples:
    """Convert the network of the present nodes to a snapshot with a sample for each.

    The features are those of `network_snapshots`, with A as it is given.

    Parameters
    ----------
    A : {array-like, sparse matrix} of shape (n_present, n_present)
        Adjacency or similarity of the present nodes, symmetric and not negative.
    ids : array-like of shape (n_present,)
        The nodes, distinct ints from 0 to n_nodes - 1.
    n_nodes : int
        Number of nodes over all times.
    time : number, str or date, default=None

    Returns
    -------
    snapshot : TimedSamples
        ``ids`` are the nodes that have an edge, ``X`` is sparse with a column for each
        of all nodes, and ``y`` is -1.

    Examples
    --------
    >>> from maxmargin.datasets import adjacency_snapshot
    >>> step = adjacency_snapshot([[0, 1], [1, 0]], ids=[4, 2], n_nodes=5)
    >>> step.ids.tolist(), step.X.shape
    ([2, 4], (2, 5))
    """
    A = sp.coo_array(A, dtype=np.float64)
    ids = np.asarray(ids)
    if A.shape != (len(ids), len(ids)):
        raise ValueError(
            f"A has shape {A.shape}: give a row and a column for each of the "
            f"{len(ids)} ids."
        )
    if len(np.unique(ids)) < len(ids) or ids.min() < 0 or ids.max() >= n_nodes:
        raise ValueError(
            f"ids must be distinct ints between 0 and n_nodes - 1 = {n_nodes - 1}."
        )
    if len(A.data) and (not np.isfinite(A.data).all() or A.data.min() < 0):
        raise ValueError("A has negative or missing values: give similarities >= 0.")
    place = (ids[A.row], ids[A.col])
    nodes, X = node_samples(sp.csr_array((A.data, place), shape=(n_nodes, n_nodes)))
    return TimedSamples(time, nodes, X, np.full(len(nodes), -1))


def node_samples(A: Any) -> tuple[np.ndarray, Any]:
    """Return the nodes that have an edge, and their rows of ``D^-1/2 A D^-1/2`` (CSR).

    The diagonal of A is raised to the largest entry of each row, and the rows of the
    result are scaled to length one.
    """
    A = sp.csr_array(A)
    strongest = A.max(axis=1).toarray().ravel()
    A = A + sp.diags_array(np.maximum(strongest - A.diagonal(), 0.0))
    degrees = A.sum(axis=1)
    ids = np.flatnonzero(degrees > 0)
    roots = 1.0 / np.sqrt(np.where(degrees > 0, degrees, 1.0))
    rows = sp.csr_matrix(sp.diags_array(roots) @ A @ sp.diags_array(roots))
    return ids, normalize(rows[ids])
