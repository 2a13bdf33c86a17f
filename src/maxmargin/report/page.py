"""The page: one HTML file with all in it, for screen, phone and paper."""

from html import escape
from typing import Any

import numpy as np

from maxmargin.plots.style import cluster_color
from maxmargin.report.facts import Facts, gather
from maxmargin.report.layout import CLUSTERS, badge, make_frame
from maxmargin.report.pictures import (
    difference_bar,
    map_picture,
    silhouette_picture,
)


def make_page(
    data: Any,
    estimator: Any,
    labels: np.ndarray,
    summary: dict[str, Any],
) -> str:
    """Return the page about the clusters of a table.

    Parameters
    ----------
    data : object
        With the samples ``X``, their ``ids`` and the ``rules`` that made them of a
        table.
    estimator : object
        The clusterer, fitted to them.
    labels : ndarray of shape (n_samples,)
    summary : dict
        What was done: ``table``, ``parameters``, ``seconds``, ``notes``, ...
    """
    facts = gather(
        estimator,
        data.X,
        labels,
        data.rules.names,
        data.ids,
        data.rules.original,
        np.random.RandomState(0),
    )
    body = CLUSTERS.substitute(
        map=map_picture(facts),
        map_note=f"The plane of largest variance: {facts.variance[0]:.0%} and "
        f"{facts.variance[1]:.0%} of all. The fainter a row, the nearer it is to the "
        f"boundary of two clusters.{_drawn(summary, facts)}",
        overview=_overview(facts),
        clusters="".join(_cluster(facts, h) for h in range(len(facts.sizes))),
        border=_border(facts),
    )
    return make_frame(
        f"{summary['n_clusters']} clusters in {summary['table']}",
        _lead(summary, facts),
        body,
        what_was_done(data, estimator, summary)
        | {"objective": f"{summary['objective']:.6g}"},
        _advice(summary, facts),
    )


def _lead(summary: dict[str, Any], facts: Facts) -> str:
    text = (
        f"{summary['rows']:,} rows, {len(summary['features'])} features, "
        f"{summary['seconds']:.2f} seconds."
    )
    known = np.concatenate(facts.silhouettes)
    if len(known):
        text += f" Mean silhouette {known.mean():.2f}"
        stability = facts.stability[np.isfinite(facts.stability)]
        text += f", mean stability {stability.mean():.2f}." if len(stability) else "."
    if "adjusted_rand_index" in summary:
        text += (
            " Agreement with the given labels (adjusted Rand index): "
            f"{summary['adjusted_rand_index']:.3f}."
        )
    return text


def _drawn(summary: dict[str, Any], facts: Facts) -> str:
    n_drawn = len(facts.positions)
    if n_drawn == summary["rows"]:
        return ""
    return f" {n_drawn:,} of {summary['rows']:,} rows are drawn."


def _overview(facts: Facts) -> str:
    rows = []
    total = facts.sizes.sum()
    for h, size in enumerate(facts.sizes):
        values = facts.silhouettes[h]
        mean = f"{values.mean():.2f}" if len(values) else "-"
        rows.append(
            f"<tr><td>{badge(h)}</td><td>{size:,}</td><td>{size / total:.1%}</td>"
            f"<td>{mean}</td><td class=wide>"
            f"{silhouette_picture(values, cluster_color(h))}</td>"
            f"<td>{_stable(facts.stability[h])}</td></tr>"
        )
    return "".join(rows)


def _stable(value: float) -> str:
    if not np.isfinite(value):
        return "-"
    word = "stable" if value >= 0.75 else "fair" if value >= 0.5 else "dissolves"
    return f'{value:.2f} <span class="quiet">{word}</span>'


def _cluster(facts: Facts, h: int) -> str:
    rows = [
        f"<tr><td>{escape(t.name)}</td><td>{t.here:.4g}</td><td>{t.elsewhere:.4g}</td>"
        f"<td class=both>{difference_bar(t.difference, cluster_color(h))}"
        f"{t.difference:+.1f}</td></tr>"
        for t in facts.telling[h]
    ]
    if not rows:
        return ""
    return (
        f"<section class=card><h3>{badge(h)} "
        f'<span class="quiet">{facts.sizes[h]:,} rows</span></h3><table><thead><tr>'
        "<th>feature</th><th>here</th><th>elsewhere</th><th>deviations</th>"
        f"</tr></thead><tbody>{''.join(rows)}</tbody></table></section>"
    )


def _border(facts: Facts) -> str:
    return "".join(
        f"<tr><td>{escape(row.name)}</td><td>{badge(row.cluster)}</td>"
        f"<td>{badge(row.other)}</td><td>{row.margin:.2f}</td></tr>"
        for row in facts.border
    )


def what_was_done(data: Any, estimator: Any, summary: dict[str, Any]) -> dict[str, Any]:
    """Return the table, the method and the rules, by name."""
    changed = _changed(estimator)
    pairs = {
        "table": summary["table"],
        "method": f"{type(estimator).__name__}({changed})",
        "features": ", ".join(summary["features"]),
        "scaled": "yes" if summary["scaled"] else "no",
        "gaps": {
            "error": "there were none",
            "median": "filled with the median, in text with the commonest value",
            "drop": "rows with gaps left out",
        }[summary["missing"]],
    }
    for number, text in enumerate(data.notes, 1):
        pairs[f"note {number}"] = text
    return pairs


def _changed(estimator: Any) -> str:
    """Return the parameters that are not at their defaults."""
    defaults = type(estimator)().get_params()
    return ", ".join(
        f"{name}={value!r}"
        for name, value in estimator.get_params().items()
        if repr(value) != repr(defaults[name])
    )


def _advice(summary: dict[str, Any], facts: Facts) -> list[str]:
    """Return what to try next, as the numbers suggest."""
    advice = []
    weak = [
        str(h)
        for h, value in enumerate(facts.stability)
        if np.isfinite(value) and value < 0.5
    ]
    if weak:
        advice.append(
            f"Clusters that dissolve when half of the rows are clustered anew "
            f"({', '.join(weak)}) may not be there: try fewer with <code>-k</code>, or "
            "<code>-k auto</code>."
        )
    if not summary["scaled"]:
        advice.append(
            "Features were taken as they are. If their units differ, try "
            "<code>--scale on</code>."
        )
    table = escape(str(summary["table"]))
    advice.append(
        f"Compare with other methods: <code>maxmargin compare {table} -k "
        f"{summary['n_clusters']} --picture compare.png</code>."
    )
    advice.append(
        "Keep the clusters for new rows: <code>--model model.npz</code>, then "
        "<code>maxmargin predict model.npz new.csv --out labels.csv</code>."
    )
    return advice
