"""Write ``docs/measured/clubench.md`` from the results, for ``make bench-clubench``."""

from pathlib import Path

import numpy as np

from benchmarks.accuracy import summary
from benchmarks.accuracy.methods import WITH_NUMBER
from benchmarks.accuracy.plan import PLANS
from benchmarks.accuracy.store import Store
from benchmarks.accuracy.tables import markdown, number

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "measured" / "clubench.md"
STANDARDISED, RAW = "clubench", "clubench_raw"
OURS, BASE = "maxmargin", "kmeans"
EQUAL = 0.01  # of the ARI


def write_page(results, page=PAGE):
    """Write the page."""
    names, _ = scores_of(results, STANDARDISED)
    sections = {
        "n_sets": str(len(names)),
        "means": _means(results, STANDARDISED),
        "raw": _means(results, RAW),
        "differences": _differences(results),
        "sets": _sets(results),
    }
    text = (HERE / "page.md").read_text()
    for key, section in sections.items():
        text = text.replace("{" + key + "}", section)
    page.write_text(text)


def methods_of(results, suite):
    """Return the methods that were run on all sets of a suite."""
    return summary.complete_methods(results, suite, PLANS[suite].methods, suite)


def scores_of(results, suite):
    """Return the names of the sets and the mean ARI (sets x methods)."""
    return summary.score_table(results, suite, methods_of(results, suite), suite)


def _means(results, suite):
    """Return means of the three scores, mean ranks and times of the methods."""
    _, scores = scores_of(results, suite)
    ranks = summary.mean_ranks(scores)
    base = summary.cpu_seconds(results, suite, BASE, suite)
    rows = []
    for j, method in enumerate(methods_of(results, suite)):
        found = summary.entries(results, suite, method, suite).values()
        means = [
            np.mean([np.mean(one.get(key, 0.0)) for one in found])
            for key in ("ari", "nmi", "acc")
        ]
        cpu = summary.cpu_seconds(results, suite, method, suite)
        ratio = np.exp(np.mean([np.log(cpu[n] / base[n]) for n in cpu if n in base]))
        rows.append(
            [
                WITH_NUMBER[method].title,
                *map(number, means),
                number(ranks[j], 2),
                number(ratio, 1),
            ]
        )
    return markdown(
        ["method", "ARI", "NMI", "accuracy", "mean rank", "CPU / k-means"], rows
    )


def _differences(results):
    """Return the differences of our ARI to that of the others."""
    methods = methods_of(results, STANDARDISED)
    _, scores = scores_of(results, STANDARDISED)
    ours = scores[:, methods.index(OURS)]
    rows = []
    for j, method in enumerate(methods):
        if method == OURS:
            continue
        change = ours - scores[:, j]
        error = change.std(ddof=1) / np.sqrt(len(change))
        rows.append(
            [
                WITH_NUMBER[method].title,
                f"{change.mean():+.3f} ± {error:.3f}",
                str(int((change > EQUAL).sum())),
                str(int((change < -EQUAL).sum())),
            ]
        )
    return markdown(["method", "difference", "better on", "worse on"], rows)


def _sets(results):
    """Return the ARI of all methods for each set."""
    methods = methods_of(results, STANDARDISED)
    names, scores = scores_of(results, STANDARDISED)
    raw = summary.entries(results, RAW, OURS, RAW)
    rows = []
    for name, row in zip(names, scores, strict=True):
        best = row.max()
        cells = [f"**{number(x)}**" if x == best else number(x) for x in row]
        rows.append([name, *cells, number(summary.mean_ari(raw.get(name, {})))])
    head = ["data", *(WITH_NUMBER[m].title for m in methods), "ours, raw columns"]
    return markdown(head, rows)


if __name__ == "__main__":
    write_page(Store(HERE / "results.json").read())
