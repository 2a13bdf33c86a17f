"""The page ``docs/measured/accuracy.md``."""

from pathlib import Path

import numpy as np

from benchmarks.accuracy import summary
from benchmarks.accuracy.methods import WITH_NUMBER
from benchmarks.accuracy.picture import draw_scores
from benchmarks.accuracy.plan import PLANS, THREE
from benchmarks.accuracy.tables import failed_lines, markdown, number, with_worst

DOCS = Path(__file__).parents[2] / "docs"
TEXT = (Path(__file__).parent / "accuracy_page.md").read_text()
# The methods the best of which is chosen with the labels.
CLASSICS = ("kmeans", "mixture", "spectral", "ward")
TITLES = {name: method.title for name, method in WITH_NUMBER.items()}


def write_accuracy_page(results):
    """Write the page and its picture."""
    sections = {
        "means": _means(results),
        "agreement": _agreement(results),
        "failed": failed_lines(results, WITH_NUMBER, "accuracy"),
        "tables": _scaling(results),
        "probability": _probability(results),
    }
    for suite in THREE:
        sections[suite] = _suite(results, suite)
        names, _ = summary.score_table(results, suite, ["kmeans"])
        sections[f"n_{suite}"] = str(len(names))
    page = TEXT
    for key, text in sections.items():
        page = page.replace("{" + key + "}", text)
    (DOCS / "measured" / "accuracy.md").write_text(page)
    methods = _methods(results, "public")
    names, scores = summary.score_table(results, "public", methods)
    draw_scores(
        names, [TITLES[m] for m in methods], scores, DOCS / "images" / "accuracy.png"
    )


def _methods(results, suite, what="accuracy"):
    return summary.complete_methods(results, suite, PLANS[what].methods, what)


def _means(results):
    """Return mean scores and ranks of each suite, and the ratio of times."""
    columns = {}
    for suite in THREE:
        methods = _methods(results, suite)
        _, scores = summary.score_table(results, suite, methods)
        ranks = summary.mean_ranks(scores)
        columns[suite] = dict(
            zip(methods, zip(scores.mean(axis=0), ranks, strict=True), strict=True)
        )
    rows = []
    for method, title in TITLES.items():
        found = [columns[suite].get(method, (None, None)) for suite in THREE]
        if any(score is not None for score, _ in found):
            rows.append(
                [
                    title,
                    *(number(score) for score, _ in found),
                    *(number(rank, 2) for _, rank in found),
                    number(summary.time_ratio(results, "public", method), 1),
                ]
            )
    ranks = [f"rank, {suite}" for suite in THREE]
    return markdown(["method", *THREE, *ranks, "CPU / k-means"], rows)


def _agreement(results):
    """Return the agreement of seeds and of fits on parts of the rows."""
    rows = []
    for method, title in TITLES.items():
        seeds = [summary.seed_agreement(results, suite, method) for suite in THREE]
        parts = summary.part_agreement(results, "public", method)
        if parts or any(seeds):
            cells = [with_worst(one) for one in (*seeds, parts)]
            if WITH_NUMBER[method].seeds == 1:
                cells[:3] = ["no seed"] * 3
            rows.append([title, *cells])
    head = ["method", *(f"seeds, {suite}" for suite in THREE), "parts, public"]
    return markdown(head, rows)


def _suite(results, suite):
    """Return the scores for each task."""
    methods = _methods(results, suite)
    names, scores = summary.score_table(results, suite, methods)
    best = scores[:, [methods.index(m) for m in CLASSICS if m in methods]]
    best = best.max(axis=1, initial=-1)
    columns = np.column_stack([scores, best])
    head = ["data", *(TITLES[m] for m in methods), "best of four"]
    rows = [[name, *map(number, row)] for name, row in zip(names, columns, strict=True)]
    rows.append(["**mean**", *map(number, columns.mean(axis=0))])
    if "maxmargin" in methods:
        ours = summary.cpu_seconds(results, suite, "maxmargin")
        base = summary.cpu_seconds(results, suite, "kmeans")
        head += ["CPU s", "/ k-means"]
        for name, row in zip(names, rows, strict=False):
            row += [number(ours.get(name), 2), number(ours[name] / base[name], 1)]
        rows[-1] += ["", number(summary.time_ratio(results, suite, "maxmargin"), 1)]
    return markdown(head, rows)


def _scaling(results):
    """Return the scores with raw and with standardised columns."""
    methods = _methods(results, "tables", "scaling")
    found = {m: summary.entries(results, "tables", m, "scaling") for m in methods}
    if not found:
        return "Not measured."
    pairs = [(m, key) for m in methods for key in ("raw", "standardised")]
    names = list(found[methods[0]])
    values = np.array([[found[m][name][key] for m, key in pairs] for name in names])
    rows = [[name, *map(number, row)] for name, row in zip(names, values, strict=True)]
    rows.append(["**mean**", *map(number, values.mean(axis=0))])
    return markdown(["data", *(f"{TITLES[m]}, {key}" for m, key in pairs)], rows)


def _probability(results):
    """Return how probabilities agree with labels and refits."""
    found = summary.entries(results, "public", "maxmargin", "probability")
    found = {name: result for name, result in found.items() if "same" in result}
    if not found:
        return "Not measured."
    keys = ("same", "confidence", "kept", "error")
    values = np.array([[result[key] for key in keys] for result in found.values()])
    rows = [[name, *map(number, row)] for name, row in zip(found, values, strict=True)]
    rows.append(["**mean**", *map(number, values.mean(axis=0))])
    head = ["data", "labels", "confidence", "kept in refits", "calibration error"]
    return markdown(head, rows)
