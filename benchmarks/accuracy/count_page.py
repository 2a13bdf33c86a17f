"""The page ``docs/measured/cluster_count.md``."""

from pathlib import Path

import numpy as np

from benchmarks.accuracy import summary
from benchmarks.accuracy.counting import COUNTING
from benchmarks.accuracy.plan import THREE
from benchmarks.accuracy.tables import failed_lines, markdown, number, with_worst
from benchmarks.accuracy.tasks import load_task

DOCS = Path(__file__).parents[2] / "docs"
TEXT = (Path(__file__).parent / "count_page.md").read_text()
SEPARATED = 0.8  # ARI of the default with the given number


def write_count_page(results):
    """Write the page."""
    sections = {
        "means": _means(results),
        "failed": failed_lines(results, COUNTING, "count"),
        "structure": _structure(results),
        "public": _public(results),
    }
    page = TEXT
    for key, text in sections.items():
        page = page.replace("{" + key + "}", text)
    (DOCS / "measured" / "cluster_count.md").write_text(page)


def _methods(results, suite, what="count"):
    return summary.complete_methods(results, suite, COUNTING, what)


def _numbers(suite, names):
    """Return the numbers of clusters of the references of each task."""
    return {name: set(load_task(suite, name).counts) for name in names}


def _exact(found, numbers):
    """Return how often a number of clusters is that of a reference."""
    return float(
        np.mean([np.mean(np.isin(r.get("found", 0), list(numbers[n])))
                 for n, r in found.items() if n in numbers])
    )  # fmt: skip


def _means(results):
    """Return mean scores, exact numbers and agreement of seeds for each suite."""
    rows = []
    for suite in THREE:
        methods = _methods(results, suite)
        names, scores = summary.score_table(results, suite, methods, "count")
        given = summary.entries(results, suite, "maxmargin", "accuracy")
        numbers = _numbers(suite, names)
        separated = {
            name: numbers[name]
            for name in names
            if summary.mean_ari(given.get(name, {})) >= SEPARATED
        }
        for j, method in enumerate(methods):
            found = summary.entries(results, suite, method, "count")
            seeds = summary.seed_agreement(results, suite, method, "count")
            exact = number(_exact(found, separated), 2) if separated else ""
            rows.append(
                [
                    suite,
                    COUNTING[method].title,
                    number(scores[:, j].mean()),
                    number(_exact(found, numbers), 2),
                    exact + (f" of {len(separated)} sets" if exact else ""),
                    with_worst(seeds) if seeds else "one run",
                ]
            )
    head = ["suite", "method", "ARI", "exact", "exact, separated", "seeds"]
    return markdown(head, rows)


def _structure(results):
    """Return in how many of the draws without clusters at most one was found."""
    methods = _methods(results, "none", "structure")
    found = {m: summary.entries(results, "none", m, "structure") for m in methods}
    if not found:
        return "Not measured."
    names = list(found[methods[0]])
    rows = []
    for name in names:
        counts = [found[m][name].get("found", []) for m in methods]
        rows.append(
            [name]
            + [
                f"{sum(k <= 1 for k in one)} of {len(one)} (median {np.median(one):g})"
                if one
                else "failed"
                for one in counts
            ]
        )
    return markdown(["data", *(COUNTING[m].title for m in methods)], rows)


def _public(results):
    """Return the number that was found and the ARI for each set, with seed 0."""
    methods = _methods(results, "public")
    if not methods:
        return "Not measured."
    found = {m: summary.entries(results, "public", m, "count") for m in methods}
    names = list(found[methods[0]])
    numbers = _numbers("public", names)
    rows = [
        [name, str(*numbers[name])]
        + [cell for m in methods for cell in _cells(found[m][name])]
        for name in names
    ]
    head = [part for m in methods for part in (COUNTING[m].title, "ARI")]
    return markdown(["data", "classes", *head], rows)


def _cells(result):
    return [str(result.get("found", ["failed"])[0]), number(summary.mean_ari(result))]
