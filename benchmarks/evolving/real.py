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


def print_real():
    """Print the mean NMI and churn of each method on each set."""
    print("\nReal data: mean NMI over time, then mean churn of those who stay")
    print(f"{'':28s}" + "".join(f"{name:>14s}" for name in METHODS))
    for name, n_clusters in SETS.items():
        try:
            steps = load_evolving(name)
        except MissingData as error:
            print(error)
            continue
        cells = ""
        for method in METHODS:
            model = make(method, n_clusters, 0, loss="squared", n_init=10)
            scores = follow(model, steps)
            moved = np.mean(scores.churn) if len(scores.churn) else np.nan
            cells += f"{np.mean(scores.nmi):8.3f}{moved:6.3f}"
        print(f"{name:28s}{cells}", flush=True)
