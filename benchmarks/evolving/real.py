"""Real data with classes: NMI over time, and churn."""

import numpy as np

from benchmarks.evolving.methods import METHODS, follow, make
from maxmargin.datasets import MissingData, load_evolving

# Names and numbers of clusters: parties, classes and teachers, users, gases.
SETS = {
    "us_senate_rollcalls_80_110": 2,
    "high_school_2013_contacts": 9,
    "primary_school_contacts": 11,
    "keystroke": 4,
    "gas_sensor_drift_8batches": 6,
}
SEEDS = 3


def print_real():
    """Print the mean NMI and churn of each method on each set."""
    print(f"\nReal data: mean NMI over time, then churn; means of {SEEDS} seeds")
    print(f"{'':28s}" + "".join(f"{name:>14s}" for name in METHODS))
    for name, n_clusters in SETS.items():
        try:
            steps = load_evolving(name)
        except MissingData as error:
            print(error)
            continue
        cells = ""
        for method in METHODS:
            runs = [
                follow(make(method, n_clusters, seed, loss="squared", n_init=10), steps)
                for seed in range(SEEDS)
            ]
            nmi = np.mean([run.nmi.mean() for run in runs])
            moved = [run.churn.mean() if len(run.churn) else np.nan for run in runs]
            cells += f"{nmi:8.3f}{np.mean(moved):6.3f}"
        print(f"{name:28s}{cells}", flush=True)
