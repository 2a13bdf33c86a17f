"""The number of clusters found without labels, over the suite. ``make bench-count``.

Beside ``MaxMarginClustering("auto")``: k-means at the number with the best silhouette
(on at most 1000 samples), and HDBSCAN. Writes ``docs/measured/cluster_count.md``.
"""

import warnings
from pathlib import Path

import numpy as np
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.metrics import adjusted_rand_score, silhouette_score
from threadpoolctl import threadpool_limits

from maxmargin import MaxMarginClustering
from maxmargin.datasets import SUITE, MissingData, load_dataset

PAGE = Path(__file__).parents[2] / "docs" / "measured" / "cluster_count.md"
# Data sets on which the default with the given number has an ARI of 0.8 or more.
SEPARATED = (
    "wine", "digits", "two moons", "satellite 1-2", "usps 1-4", "usps 5-8",
    "breast_cancer_wisconsin", "newsgroups_basehock",
)  # fmt: skip
INTRODUCTION = """\
# The number of clusters

This page is written by `make bench-count`. The data are those of
[the accuracy page](accuracy.md). The number of clusters is estimated without labels:
by `MaxMarginClustering("auto")`, by k-means at the number with the best silhouette, and
by HDBSCAN. Scores are adjusted Rand indices (ARI) of one seed.

"""


def kmeans_by_silhouette(X):
    """Return the labels of k-means at the best silhouette, and that number."""
    counts = range(2, min(30, int(np.sqrt(min(len(X), 1000)))) + 1)
    fits = [KMeans(k, n_init=2, random_state=0).fit_predict(X) for k in counts]
    scores = [
        silhouette_score(X, labels, sample_size=min(1000, len(X)), random_state=0)
        for labels in fits
    ]
    best = int(np.argmax(scores))
    return fits[best], counts[best]


def main():
    """Print and write the table."""
    lines = [
        "| data | clusters | found | ARI | k-means, silhouette | ARI | HDBSCAN ARI |",
        "|---|---|---|---|---|---|---|",
    ]
    rows = []
    for name in SUITE:
        try:
            data = load_dataset(name).prepared()
        except MissingData as error:
            print(f"skipped {error}")
            continue
        with warnings.catch_warnings(), threadpool_limits(1):
            warnings.simplefilter("ignore")
            ours = MaxMarginClustering("auto", random_state=0).fit(data.X)
            labels, count = kmeans_by_silhouette(data.X)
            density = HDBSCAN(copy=True).fit_predict(data.X)
        truth = len(np.unique(data.y))
        scores = [
            adjusted_rand_score(data.y, x) for x in (ours.labels_, labels, density)
        ]
        rows.append((name, truth, ours.n_clusters_, *scores))
        star = "*" if name in SEPARATED else ""
        lines.append(
            f"| {name}{star} | {truth} | {ours.n_clusters_} | {scores[0]:.3f} "
            f"| {count} | {scores[1]:.3f} | {scores[2]:.3f} |"
        )
        print(lines[-1], flush=True)
    means = np.mean([row[3:] for row in rows], axis=0)
    lines.append(
        f"| **mean** | | | {means[0]:.3f} | | {means[1]:.3f} | {means[2]:.3f} |"
    )
    exact = [row[1] == row[2] for row in rows if row[0] in SEPARATED]
    lines.append(
        f"\nThe number is exact on {sum(exact)} of the {len(exact)} data sets with a "
        "star, whose classes are well separated: given their number, the ARI is 0.8 or "
        "more."
    )
    print("\n".join(lines[-2:]))
    PAGE.write_text(INTRODUCTION + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
