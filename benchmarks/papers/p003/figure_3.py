"""Figure 3 of paper 003: steps of the search against the size of the data.

The paper: the number of steepest descent steps that UMC-RLS makes on random subsets of
COIL with 20 clusters. Here: the number of claims, means of five runs from random labels
on five subsets.
"""

import numpy as np

from benchmarks.papers.p003.data import Data, load
from benchmarks.papers.p003.methods import search_once, smoother_matrix
from benchmarks.papers.p003.timing import RIDGE, WIDTH
from maxmargin.plots.style import COLORS

TITLE = "Paper 003, Figure 3: steps of the search"


def mean_steps(n_samples, runs):
    """Return the mean number of steps on subsets of COIL."""
    data = load("Coil")
    steps = []
    for seed in range(runs):
        rows = np.random.RandomState(seed).choice(len(data.X), n_samples, replace=False)
        part = Data(data.X[rows], data.y[rows], data.n_clusters, data.extent)
        R = smoother_matrix(part, WIDTH, RIDGE)
        steps.append(search_once(R, part, "UMC-RLS", seed).n_moves)
    return float(np.mean(steps))


def run(store, page):
    """Count and draw."""
    sizes = store.pick((200, 400, 600, 800, 1000, 1200, 1440), (200, 400, 600))
    found = {
        n_samples: store.cell(
            f"{n_samples}", lambda n=n_samples: mean_steps(n, store.pick(5, 2))
        )
        for n_samples in sizes
    }
    found = {n: steps for n, steps in found.items() if steps is not None}
    if not found:
        return
    ratios = [steps / n for n, steps in found.items()]
    page.text(
        "The number of points claimed in a run of UMC-RLS on random subsets of COIL "
        f"with 20 clusters: {min(ratios):.1f} to {max(ratios):.1f} for each sample, so "
        "that it grows linearly, as the paper finds."
    )
    page.picture(draw(found), "Steps of UMC-RLS against the number of samples")


def draw(found):
    """Return the figure."""
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(5.5, 3.8), layout="constrained")
    ax.plot(list(found), list(found.values()), color=COLORS[0], marker="o")
    ax.set(xlabel="samples", ylabel="steps", xlim=(0, None), ylim=(0, None))
    ax.grid(alpha=0.3)
    return figure
