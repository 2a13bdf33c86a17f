"""Real data with classes: NMI over time, and churn."""

import numpy as np

from benchmarks.data.evolving_sets import load_evolving
from benchmarks.data.suite import MissingData
from benchmarks.evolving.methods import METHODS, follow, make, score
from benchmarks.evolving.peers import PEERS, make_peer, temporal_leiden

# Names and numbers of clusters: parties, classes and teachers, users, gases.
SETS = {
    "us_senate_rollcalls_80_110": 2,
    "high_school_2013_contacts": 9,
    "primary_school_contacts": 11,
    "hospital_ward_contacts": 4,
    "keystroke": 4,
    "gas_sensor_drift_8batches": 6,
}
SEEDS = 3


def run(method, n_clusters, seed, steps):
    """Return the scores of a method, ours or a peer."""
    if method == "temporal Leiden":
        return score(steps, temporal_leiden(steps, seed))
    if method in PEERS:
        return follow(make_peer(method, n_clusters, seed), steps)
    model = make(method, n_clusters, seed, loss="squared", n_init=10)
    return follow(model, steps)


def print_real():
    """Print the mean NMI and churn of each method on each set."""
    names = (*METHODS, *PEERS)
    print(f"\nReal data: mean NMI over time, then churn; means of {SEEDS} seeds")
    print(f"{'':28s}" + "".join(f"{name[:14]:>16s}" for name in names))
    for name, n_clusters in SETS.items():
        try:
            steps = load_evolving(name)
        except MissingData as error:
            print(error)
            continue
        cells = ""
        for method in names:
            runs = [run(method, n_clusters, seed, steps) for seed in range(SEEDS)]
            nmi = np.mean([one.nmi.mean() for one in runs])
            moved = [one.churn.mean() if len(one.churn) else np.nan for one in runs]
            cells += f"{nmi:10.3f}{np.mean(moved):6.3f}"
        print(f"{name:28s}{cells}", flush=True)
