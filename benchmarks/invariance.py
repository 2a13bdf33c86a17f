"""Whether harmless changes of the data leave the labels as they are.

Ten changes of the public sets and of the shapes do not change any distance but for a
common factor and rounding. Labels before and after are compared: identical, and their
adjusted Rand index. ``--mnist`` does so with all rows of MNIST, and with 95 % of them.

Counts are left out of shift and rotation: what is shifted or rotated is no longer
counts, and is not compared as proportions.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score

from benchmarks.accuracy.tasks import load_task, task_names
from benchmarks.data.suite import load_dataset
from maxmargin import MaxMarginClustering
from maxmargin.rows.preparation import is_count_data

PAGE = Path(__file__).parents[1] / "docs/measured/invariance.md"
MAX_ROWS = 2000
PART = 0.95


def changes(X: np.ndarray) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Yield the name of a change, the changed rows, and where each row came from."""
    random = np.random.RandomState(1)
    n_rows, n_columns = X.shape
    same, order = np.arange(n_rows), random.permutation(n_rows)
    columns = random.permutation(n_columns)
    yield "rows permuted", X[order], order
    yield "columns permuted", np.ascontiguousarray(X[:, columns]), same
    yield "x 2", 2.0 * X, same
    yield "/ 255", X / 255, same
    yield "x 1e6", 1e6 * X, same
    if not is_count_data(X):
        turn, _ = np.linalg.qr(random.randn(n_columns, n_columns))
        yield "shift", X + 3.7 * X.std(), same
        yield "rotation", X @ turn, same
    yield "single precision", X.astype(np.float32), same
    yield "sparse", sp.csr_array(X), same
    yield "noise, 1e-9 of a value", X * (1.0 + 1e-9 * random.randn(*X.shape)), same


def labels_of(X, n_clusters: int) -> np.ndarray:
    """Return the default labels."""
    return MaxMarginClustering(n_clusters, random_state=0).fit_predict(X)


def compare(X: np.ndarray, n_clusters: int) -> dict[str, tuple[bool, float]]:
    """Return for each change whether labels are identical, and their agreement."""
    expected = labels_of(X, n_clusters)
    found = {}
    for name, changed, origin in changes(X):
        labels = labels_of(changed, n_clusters)
        identical = np.array_equal(labels, expected[origin])
        found[name] = (identical, adjusted_rand_score(labels, expected[origin]))
    return found


def run_suites(max_rows: int) -> list[tuple[str, str, bool, float]]:
    """Return set, change, identity and agreement for all sets."""
    rows = []
    for suite in ("public", "shapes"):
        for name in task_names(suite):
            task = load_task(suite, name).cut(max_rows)
            if task.counts[0] < 2:
                continue
            for change, scores in compare(task.X, task.counts[0]).items():
                rows.append((name, change, *scores))
            print(name, flush=True)
    return rows


def page(rows: list[tuple[str, str, bool, float]], max_rows: int) -> str:
    """Return the page of the documentation."""
    lines = [
        "# Harmless changes",
        "",
        "Ten changes of the rows leave all distances as they are, but for a common",
        "factor and rounding. The labels should stay as they are, too. Public sets and",
        f"shapes, at most {max_rows} rows, true number of clusters, other parameters",
        "by default (`make bench-invariance`). Counts are not shifted or rotated: then",
        "they would no longer be counts.",
        "",
        "| change | fits | identical labels | mean agreement (ARI) | smallest |",
        "|---|---|---|---|---|",
    ]
    names = list(dict.fromkeys(row[1] for row in rows))
    for name in [*names, "all"]:
        scores = [row[2:] for row in rows if name in (row[1], "all")]
        identical, agreement = np.array(scores, dtype=float).T
        lines.append(
            f"| {name} | {len(scores)} | {identical.mean():.1%} | "
            f"{agreement.mean():.4f} | {agreement.min():.3f} |"
        )
    low = sorted((row[3], row[0], row[1]) for row in rows if row[3] < 0.9)
    lines += ["", "Agreement below 0.9:", ""]
    lines += [f"- {name}, {change}: {value:.3f}" for value, name, change in low]
    lines += [] if low else ["- none"]
    if low:
        lines += [
            "",
            "There many distances are equal, as the values are counts, or lie on a",
            "grid: in wut_z1 a third of the distances of a row to its neighbours equal",
            "the next one. Rounding orders them anew.",
        ]
    return "\n".join(lines) + "\n"


def run_mnist() -> None:
    """Print the index of all rows of MNIST under each change, and of parts of them."""
    data = load_dataset("mnist")
    X, y = data.X.astype(np.float64), data.y
    for name, changed, origin in changes(X):
        index = adjusted_rand_score(y[origin], labels_of(changed, 10))
        print(f"{name}: {index:.4f}", flush=True)
    for seed in range(5):
        order = np.random.RandomState(seed).permutation(len(X))
        rows = np.sort(order[: int(PART * len(X))])
        index = adjusted_rand_score(y[rows], labels_of(X[rows], 10))
        print(f"95 % of the rows, draw {seed}: {index:.4f}", flush=True)


def main() -> None:
    """Run the comparison and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=MAX_ROWS)
    parser.add_argument("--mnist", action="store_true")
    options = parser.parse_args()
    if options.mnist:
        run_mnist()
        return
    text = page(run_suites(options.rows), options.rows)
    PAGE.write_text(text)
    print(text)


if __name__ == "__main__":
    main()
