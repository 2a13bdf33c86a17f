"""Tables 1 and 2 of the paper: synthetic data, and classes that drift."""

import numpy as np

from benchmarks.evolving.methods import METHODS, STRATEGIES, follow, make
from maxmargin.datasets import drift_classes, load_dataset, make_evolving_gaussians

PUBLISHED = {  # Table 1 of the paper: km-cost, then NMI
    "CDE": (
        "5.630 5.591 5.576 5.642 5.810 6.047 6.376 6.685 6.936 7.191 7.407 7.538",
        "0.794 0.707 0.629 0.589 0.606 0.643 0.714 0.785 0.854 0.907 0.956 0.983",
    ),
    "IDE": (
        "5.630 5.590 5.575 5.639 5.806 6.046 6.376 6.685 6.935 7.191 7.407 7.538",
        "0.796 0.707 0.633 0.602 0.610 0.647 0.717 0.795 0.854 0.906 0.957 0.987",
    ),
    "MI": (
        "5.635 5.592 5.580 5.642 5.810 6.051 6.380 6.697 6.937 7.201 7.417 7.538",
        "0.799 0.699 0.652 0.600 0.608 0.645 0.713 0.790 0.851 0.896 0.957 0.987",
    ),
    "PCQ": (
        "5.649 5.614 5.589 5.648 5.812 6.060 6.393 6.703 6.950 7.211 7.415 7.540",
        "0.815 0.736 0.644 0.589 0.598 0.637 0.711 0.786 0.837 0.890 0.940 0.973",
    ),
    "PCM": (
        "5.653 5.627 5.595 5.666 5.833 6.075 6.419 6.742 6.963 7.223 7.431 7.544",
        "0.826 0.757 0.659 0.593 0.580 0.621 0.675 0.736 0.815 0.867 0.932 0.968",
    ),
    "ACC": (
        "5.683 5.657 5.620 5.663 5.833 6.075 6.425 6.750 6.963 7.222 7.431 7.544",
        "0.756 0.688 0.602 0.583 0.573 0.619 0.668 0.730 0.812 0.872 0.928 0.968",
    ),
    "IND": (
        "5.681 5.653 5.631 5.681 5.826 6.080 6.399 6.705 6.953 7.210 7.420 7.540",
        "0.754 0.662 0.586 0.573 0.616 0.629 0.703 0.742 0.812 0.892 0.928 0.979",
    ),
}
DRIFTING = {  # name in the paper: set of the suite, two classes
    "digits 1,2": ("digits", (1, 2)),
    "digits 1,3": ("digits", (1, 3)),
    "vowel 1,2": ("vowel", (0, 1)),
    "satellite 1,2": ("satellite", (0, 1)),
    "breast": ("breast_cancer_wisconsin", (0, 1)),
    "diabetes": ("pima_diabetes", (0, 1)),
    "liver": ("bupa_liver", (0, 1)),
    "pendigits 0,1": ("pendigits", (0, 1)),
}


def scaled(steps):
    """Return snapshots with all features in [0, 1] over all times."""
    low = np.min([step.X.min(axis=0) for step in steps], axis=0)
    high = np.max([step.X.max(axis=0) for step in steps], axis=0)
    return [step._replace(X=(step.X - low) / (high - low)) for step in steps]


def print_synthetic(n_repeats, n_objects=1500):
    """Print Table 1 beside the published one."""
    print(f"\nTable 1: {n_objects} objects, {n_repeats} repetitions, times 1 to 12")
    for name in METHODS:
        runs = []
        for seed in range(n_repeats):
            steps = scaled(make_evolving_gaussians(n_objects, 12, random_state=seed))
            runs.append(follow(make(name, 2, seed), steps))
        _line(name, "km-cost", np.mean([run.cost for run in runs], axis=0))
        _line("", "carried", np.mean([run.carried for run in runs], axis=0))
        print(f"{'':5s}{'paper':9s}{PUBLISHED[name][0]}")
        _line("", "NMI", np.mean([run.nmi[1:] for run in runs], axis=0))
        print(f"{'':5s}{'paper':9s}{PUBLISHED[name][1]}", flush=True)


def _line(name, what, values):
    print(f"{name:5s}{what:9s}" + " ".join(f"{value:.3f}" for value in values))


def print_drifting(n_repeats, max_objects=1500):
    """Print Table 2: the km-cost, mean over times, of each method on each set."""
    print(f"\nTable 2: km-cost with {n_repeats} repetitions, and with carried labels")
    print(f"{'':15s}" + "".join(f"{name:>18s}" for name in METHODS))
    for title, (name, classes) in DRIFTING.items():
        data = load_dataset(name)
        here = np.flatnonzero(np.isin(data.y, classes))[:max_objects]
        values = []
        for method in METHODS:
            runs = []
            for seed in range(n_repeats):
                steps = drift_classes(data.X[here], data.y[here], random_state=seed)
                runs.append(follow(make(method, 2, seed), scaled(steps)))
            values.append(
                (
                    np.mean([run.cost for run in runs]),
                    np.mean([run.carried for run in runs]),
                )
            )
        cells = "".join(f"{own:10.3f}{now:8.3f}" for own, now in values)
        print(f"{title:15s}{cells}", flush=True)
    print(f"(own labels, then carried; ours are {', '.join(STRATEGIES)})")
