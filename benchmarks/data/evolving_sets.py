"""Public data sets that change over time."""

import numpy as np
from sklearn.preprocessing import StandardScaler

from benchmarks.data.suite import MissingData, find_data_file
from maxmargin.datasets import TimedSamples, network_snapshots
from maxmargin.datasets.evolving import node_samples

DAY = 86_400

# Names of the data sets, and the length of a time step in the units of the file.
EVOLVING = {
    "us_senate_rollcalls_80_110": 1,
    "high_school_2013_contacts": DAY,
    "primary_school_contacts": DAY,
    "hospital_ward_contacts": DAY,
    "keystroke": 1,
    "gas_sensor_drift_8batches": 1,
    "elec2": 28,
}


def load_evolving(name: str) -> list[TimedSamples]:
    """Load a public data set with time steps from the folder ``MAXMARGIN_DATA``.

    The roll calls are networks of senators: the weight of an edge is the share of votes
    in which two senators agree minus the share in which they differ, or 0 if that is
    negative. The contacts are networks, one for each day. The other data sets are
    measurements, standardised over all time steps.

    Parameters
    ----------
    name : str
        One of `EVOLVING`.

    Returns
    -------
    snapshots : list of TimedSamples
    """
    if name not in EVOLVING:
        raise ValueError(f"{name!r} is not known: use one of {sorted(EVOLVING)}.")
    path = find_data_file(name)
    if path is None:
        raise MissingData(
            f"{name}.npz was not found: set the environment variable MAXMARGIN_DATA to "
            "the folder that has it."
        )
    with np.load(path) as file:
        keys = ("X", "y", "time", "object", "edges", "n_rollcalls")
        arrays = {key: file[key] for key in keys if key in file}
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
        votes = arrays["X"][here].astype(np.float64)  # 1 yes, -1 no, 0 neither
        both = np.abs(votes) @ np.abs(votes).T  # votes in which two took part
        agreement = np.maximum(votes @ votes.T, 0.0) / np.maximum(both, 1.0)
        np.fill_diagonal(agreement, 0.0)
        senators = arrays["object"][here]
        A = np.zeros((n_senators, n_senators))
        A[np.ix_(senators, senators)] = agreement
        ids, X = node_samples(A)
        order = np.argsort(senators)
        place = order[np.searchsorted(senators[order], ids)]
        snapshots.append(TimedSamples(int(time), ids, X, arrays["y"][here][place]))
    return snapshots


def _measurements(arrays: dict[str, np.ndarray], width: int) -> list[TimedSamples]:
    X = StandardScaler().fit_transform(arrays["X"].astype(np.float64))
    steps = arrays["time"] // width
    snapshots = []
    for time in np.unique(steps):
        here = np.flatnonzero(steps == time)
        snapshots.append(TimedSamples(int(time), here, X[here], arrays["y"][here]))
    return snapshots
