"""Other labellings of the same rows, as small maps beside each other."""

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from maxmargin.metrics.matching import match_labels
from maxmargin.report import layout
from maxmargin.report.colors import color_variable
from maxmargin.report.descriptions import separating_columns
from maxmargin.report.results import ClusterFacts, OtherLabels, TableResult

N_SHOWN = 6
WIDTH, HEIGHT = 160.0, 105.0
NOTE = """Levels of the tree of clusters, and clusters by other similarities, scales of
the columns and methods. Agreement is the adjusted Rand index with the clusters of this
report. Clusters have the colours of those that they match. If labellings that look
equally right disagree, the data do not determine the clusters alone."""


def alternatives_section(
    result: TableResult, facts: ClusterFacts, found: Sequence[OtherLabels]
) -> str:
    """Return the section, nothing if there is no other labelling."""
    if not found:
        return ""
    cards = "".join(_card(result, facts, one) for one in found)
    return layout.section("Alternatives", f'<div class="cards">{cards}</div>', NOTE)


def alternatives_of(result: TableResult) -> Sequence[OtherLabels]:
    """Return those that were found before, or find them with the estimator."""
    if result.alternatives is not None:
        return result.alternatives[:N_SHOWN]
    find: Any = getattr(result.estimator, "find_alternatives", None)
    found = () if find is None else find(result.samples.X)[:N_SHOWN]
    return [OtherLabels(one.labels, one.description, one.agreement) for one in found]


def _card(result: TableResult, facts: ClusterFacts, one: OtherLabels) -> str:
    codes = np.unique(one.labels, return_inverse=True)[1]
    labels = match_labels(codes, result.labels)[codes]
    columns = separating_columns(result.samples, labels)
    words = [layout.counted(one.n_clusters, "clusters")]
    words += [f"by {' and '.join(columns)}"] if columns else []
    words.append(f"agreement {one.agreement:.2f}")
    return (
        f'<section class="card"><h3>{escape(one.description)}</h3>'
        f"{_small_map(facts, labels)}"
        f'<p class="quiet">{escape(", ".join(words))}</p></section>'
    )


def _small_map(facts: ClusterFacts, labels: np.ndarray) -> str:
    """Draw the rows of the map in the colours of other labels."""
    low = facts.positions.min(axis=0)
    extent = np.maximum(np.ptp(facts.positions, axis=0), np.finfo(float).tiny)
    places = (facts.positions - low) / extent
    xs, ys = 4 + places[:, 0] * (WIDTH - 8), HEIGHT - 4 - places[:, 1] * (HEIGHT - 8)
    own = labels[facts.position_rows]
    groups = [
        f'<path stroke="{color_variable(h)}" d="'
        + "".join(f"M{xs[i]:.0f} {ys[i]:.0f}h0" for i in np.flatnonzero(own == h))
        + '"/>'
        for h in np.unique(own).tolist()
    ]
    return (
        f'<svg viewBox="0 0 {WIDTH:.0f} {HEIGHT:.0f}" role="img" aria-label="Map" '
        f'fill="none" stroke-width="2.5" stroke-linecap="round">{"".join(groups)}</svg>'
    )
