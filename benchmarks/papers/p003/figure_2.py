"""Figure 2 of paper 003: the shaking search on three Gaussian clusters.

The paper: the random labels of the start, and the labels after each cluster has claimed
its points. Here: the same, for the first five rounds.
"""

import numpy as np
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from benchmarks.papers.p003.shaking_steps import draw_steps, shaking_steps

TITLE = "Paper 003, Figure 2: shaking on three Gaussian clusters"


def run(store, page):
    """Draw the search; it takes no time, so that nothing is kept."""
    n_samples, n_rounds = 150, 5
    X, y = make_blobs(n_samples, centers=3, cluster_std=1.2, random_state=3)
    steps, titles = shaking_steps(X, 3, n_rounds, np.random.RandomState(0))
    indices = [float(adjusted_rand_score(y, labels)) for labels in steps]
    page.text(
        "Random labels, and the labels after each claim of a cluster. In the first "
        "round each cluster claims two thirds of the points less those it has; the "
        "numbers halve from round to round."
    )
    page.picture(draw_steps(X, steps, titles), "Labels along the shaking search")
    rows = [f"after round {i}" for i in range(n_rounds + 1)]
    page.table(
        rows,
        ["adjusted Rand index"],
        {(row, "adjusted Rand index"): float(indices[3 * i])
         for i, row in enumerate(rows)},
    )  # fmt: skip
