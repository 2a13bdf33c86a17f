"""The page about the clusters of a table, with its pictures in SVG."""

from html import escape

import numpy as np

from maxmargin.plots.style import opacity_of
from maxmargin.report import layout
from maxmargin.report.alternatives_section import (
    alternatives_of,
    alternatives_section,
)
from maxmargin.report.colors import color_variable
from maxmargin.report.number_section import number_section
from maxmargin.report.results import ClusterFacts, TableResult, cluster_facts

WIDTH, HEIGHT, BORDER = 640.0, 420.0, 14.0  # of the map
COMPACT = 0.5  # least mean silhouette of a cluster with a word of praise
NEAR = 0.1  # of the median margin, below which a row is close to a boundary
STABLE, FAIR = 0.75, 0.5  # least stability, after Hennig (2007)
STRUCTURE = 0.25  # least mean silhouette, after Kaufman and Rousseeuw (1990)

STABILITY = {"stable": STABLE, "fair": FAIR, "unstable": -np.inf}
COMPACTNESS = {"compact": COMPACT, "fair": STRUCTURE, "weak": -np.inf}
NAME_LENGTH = 24  # letters of the name of a cluster on the map
TEXT_LENGTH = 200  # letters of a typical text that are shown

CLUSTERS_NOTE = """Silhouette: 1 for a row that is far from all other clusters, 0 on the
boundary of two clusters, negative for a row that is closer to another cluster.
Stability: the mean overlap (Jaccard index) of a cluster with the most similar cluster
found in a random half of the rows; 1 if the cluster is always found again."""
FEATURES_NOTE = """The values of the middle half of the rows inside and outside the
cluster, and the difference of their means in standard deviations of all rows. Of
columns with few values these are means, and of categories and of two values the
shares of rows that have a value. Rows that are pictures are shown: first the mean of
the cluster, then its most typical rows."""
WORDS_NOTE = """The words that distinguish the texts of a cluster from all others: the
shares of texts inside and outside that have the word, and their difference in standard
deviations; below, the most typical texts."""
BOUNDARY_NOTE = """Margin: the difference of the two largest decision values, divided by
its median. It is no probability of being right."""


def make_cluster_page(result: TableResult) -> str:
    """Return the page about the clusters of a table."""
    facts = cluster_facts(result, np.random.RandomState(0))
    others = alternatives_of(result)
    clusters = range(len(facts.sizes))
    cards = "".join(_card(facts, h) for h in clusters if facts.differences[h])
    boundary = [
        (
            escape(row.name),
            layout.badge(row.cluster, facts.names[row.cluster]),
            layout.badge(row.other, facts.names[row.other]),
            f"{row.margin:.2f}",
        )
        for row in facts.boundary
    ]
    sections = [
        layout.section(
            "Map", f'<div class="map">{map_picture(facts)}</div>', _map_note(facts)
        ),
        layout.section("Clusters", _overview(facts), CLUSTERS_NOTE),
        number_section(result.count_table, len(facts.sizes)),
        alternatives_section(result, facts, others),
        layout.section(
            "Distinguishing features" if result.samples.texts is None else "Keywords",
            f'<div class="cards">{cards}</div>',
            FEATURES_NOTE if result.samples.texts is None else WORDS_NOTE,
        ),
        layout.section(
            "Rows closest to the boundary",
            layout.table(["row", "cluster", "other cluster", "margin"], boundary),
            BOUNDARY_NOTE,
        ),
    ]
    details = layout.details_of(result)
    details["objective"] = f"{float(result.estimator.objective_):.6g}"
    found = layout.counted(len(facts.sizes), "clusters")
    title = f"{found} in {result.samples.table}"
    steps = _next_steps(result, facts)
    lead = _lead(result, facts)
    n_clusters = max(len(facts.sizes), *(one.n_clusters for one in others), 1)
    return layout.page(title, lead, sections, details, steps, n_clusters)


def _lead(result: TableResult, facts: ClusterFacts) -> str:
    n_rows, n_features = result.samples.X.shape
    parts = [layout.counted(n_rows, "rows"), layout.counted(n_features, "features")]
    text = f"{', '.join(parts)}, {result.seconds:.2f} seconds."
    silhouettes = np.concatenate(facts.silhouettes)
    if len(silhouettes):
        text += f" Mean silhouette {silhouettes.mean():.2f}"
        stability = facts.stability[np.isfinite(facts.stability)]
        text += f", mean stability {stability.mean():.2f}." if len(stability) else "."
        found_again = float(stability.mean()) if len(stability) else 0.0
        text += _weakness(float(silhouettes.mean()), found_again)
        near = float((facts.position_margins < NEAR).mean())
        text += f" {near:.0%} of the rows are close to a boundary."
    if result.adjusted_rand_index is not None:
        text += (
            " Agreement with the given labels (adjusted Rand index): "
            f"{result.adjusted_rand_index:.3f}."
        )
    return text


def _weakness(silhouette: float, stability: float) -> str:
    """Return a sentence about clusters that may not be real, or nothing."""
    if silhouette >= STRUCTURE and stability >= FAIR:
        return ""
    if stability >= STABLE:
        return (
            " <b>The clusters are not compact</b>: by distances, rows are hardly "
            "closer to their own cluster than to the next one. But the clusters are "
            "found again in random halves of the rows."
        )
    return (
        " <b>The clusters are weak</b>: rows are hardly closer to their own cluster "
        "than to the next one, or random halves of the rows have other clusters. They "
        "may be an arbitrary division; use them with care."
    )


def _map_note(facts: ClusterFacts) -> str:
    text = (
        f"The first two principal components: {facts.variance[0]:.0%} and "
        f"{facts.variance[1]:.0%} of the variance. Rows close to a boundary are faint."
    )
    n_shown, n_rows = len(facts.positions), facts.sizes.sum()
    if n_shown < n_rows:
        text += f" {n_shown:,} of {n_rows:,} rows are shown."
    return text


def _overview(facts: ClusterFacts) -> str:
    wide = '<span class="wide">{}</span>'  # not shown on a phone
    header = ["cluster", "rows", "share", "silhouette"]
    header += [wide.format("silhouettes of rows"), "stability"]
    total = facts.sizes.sum()
    rows = [
        (
            layout.badge(h, facts.names[h]),
            f"{size:,}",
            f"{size / total:.1%}",
            _graded(values.mean() if len(values) else np.nan, COMPACTNESS),
            wide.format(silhouette_picture(values, color_variable(h))),
            _graded(stability, STABILITY),
        )
        for h, (size, values, stability) in enumerate(
            zip(facts.sizes, facts.silhouettes, facts.stability, strict=True)
        )
    ]
    return layout.table(header, rows)


def _graded(value: float, grades: dict[str, float]) -> str:
    """Return a value with the first word whose least value it reaches."""
    if not np.isfinite(value):
        return "-"
    word = next(word for word, least in grades.items() if value >= least)
    return f'{value:.2f} <span class="quiet">{word}</span>'


def _card(facts: ClusterFacts, h: int) -> str:
    """Return the features that distinguish a cluster."""
    rows = [
        (
            _unbroken(one.label, " "),
            *map(_unbroken, one.values),
            difference_bar(one.difference, color_variable(h))
            + f"{one.difference:+.1f}",
        )
        for one in facts.differences[h]
    ]
    first = "word" if facts.texts[h] else "feature"
    table = layout.table([first, "inside", "outside", "difference"], rows)
    size = layout.counted(facts.sizes[h], "rows")
    texts = "".join(f"<p>{escape(_shortened(text))}</p>" for text in facts.texts[h])
    if facts.pictures[h]:  # single pixels tell nothing
        table = _pictures(facts.pictures[h])
    return (
        f'<section class="card"><h3>{layout.badge(h, facts.names[h])} '
        f'<span class="quiet">{size}</span></h3>{table}{texts}</section>'
    )


def _unbroken(text: str, between: str = " to ") -> str:
    """Return text that may continue on a second line only between its parts."""
    parts = text.split(between)
    return between.join(f'<span class="whole">{escape(one)}</span>' for one in parts)


def _pictures(addresses: list[str]) -> str:
    """Return the mean of a cluster and its most typical rows."""
    titles = ["mean of the cluster", *["typical row"] * (len(addresses) - 1)]
    shown = [
        f'<img src="{address}" alt="{title}" title="{title}">'
        for address, title in zip(addresses, titles, strict=True)
    ]
    return f'<div class="pictures">{"".join(shown)}</div>'


def _shortened(text: str, length: int = TEXT_LENGTH) -> str:
    """Return the beginning of a text."""
    return text if len(text) <= length else f"{text[:length].rstrip()} ..."


def _next_steps(result: TableResult, facts: ClusterFacts) -> list[str]:
    steps = []
    unstable = np.flatnonzero(facts.stability < FAIR)  # False for NaN
    if len(unstable):
        names = escape(", ".join(facts.names[h] for h in unstable.tolist()))
        steps.append(
            f"Unstable clusters ({names}) may not be real: try "
            "a smaller number with <code>-k</code>, or <code>-k auto</code>."
        )
    if not result.samples.preprocessor.scaled and result.samples.texts is None:
        steps.append(
            "Features are not scaled. If they have different units, try "
            "<code>--scale on</code>."
        )
    compare = layout.command(
        "compare",
        result,
        *(result.samples.table, "-k", str(len(facts.sizes))),
        *("--picture", "compare.png"),
    )
    steps.append(f"Compare with other methods: {compare}.")
    steps.append(layout.prediction_step("cluster", result, "clusters"))
    return steps


def map_picture(facts: ClusterFacts) -> str:
    """Draw the rows on the first two principal components."""
    low = facts.positions.min(axis=0)
    extent = facts.positions.max(axis=0) - low
    scaled = (facts.positions - low) / np.where(extent > 0, extent, 1.0)
    xs = BORDER + scaled[:, 0] * (WIDTH - 2 * BORDER)
    ys = HEIGHT - BORDER - scaled[:, 1] * (HEIGHT - 2 * BORDER)
    opacity = opacity_of(facts.position_margins)
    radius = 4.0 if len(xs) < 400 else 3.0
    points = [
        f'<circle cx="{xs[i]:.1f}" cy="{ys[i]:.1f}" r="{radius:.0f}" '
        f'fill-opacity="{opacity[i]:.2f}"><title>{escape(name)}: cluster '
        f"{escape(facts.names[facts.position_labels[i]])}</title></circle>"
        for i, name in enumerate(facts.position_names)
    ]
    groups = [
        f'<g fill="{color_variable(h)}">'
        + "".join(points[i] for i in np.flatnonzero(facts.position_labels == h))
        + "</g>"
        for h in np.unique(facts.position_labels)
    ]
    return (
        f'<svg viewBox="0 0 {WIDTH:.0f} {HEIGHT:.0f}" role="img" '
        'aria-label="Map of the rows, coloured by cluster">'
        f"{''.join(groups + _cluster_numbers(facts, xs, ys))}</svg>"
    )


def _cluster_numbers(facts: ClusterFacts, xs: np.ndarray, ys: np.ndarray) -> list[str]:
    """Draw the number of each cluster at its median, without overlaps."""
    taken: list[tuple[float, float]] = []
    parts = []
    for h in np.unique(facts.position_labels):
        own = facts.position_labels == h
        x, y = float(np.median(xs[own])), float(np.median(ys[own]))
        for _ in range(20):
            if not any(abs(a - x) < 26 and abs(b - y) < 26 for a, b in taken):
                break
            y += 27 if y < HEIGHT / 2 else -27
        name = _shortened(facts.names[h], NAME_LENGTH)
        half = max(12.0, 4.2 * len(name) + 6)  # of the width of the frame
        x = min(max(x, half + 4), WIDTH - half - 4)
        y = min(max(y, 16), HEIGHT - 16)
        taken.append((x, y))
        parts.append(
            f'<g class="number"><rect x="{x - half:.1f}" y="{y - 12:.1f}" '
            f'width="{2 * half:.1f}" height="24" rx="12" '
            f'stroke="{color_variable(h)}"/><text x="{x:.1f}" y="{y + 4.5:.1f}">'
            f"{escape(name)}</text></g>"
        )
    return parts


def silhouette_picture(values: np.ndarray, color: str) -> str:
    """Draw the silhouettes of a cluster, given in descending order."""
    if len(values) == 0:
        return ""
    grid = np.linspace(0, len(values) - 1, min(len(values), 80)).round().astype(int)
    step = 120.0 / len(grid)
    bars = [
        f'<rect x="{j * step:.2f}" y="{min(20.0, 20.0 - 20.0 * value):.1f}" '
        f'width="{step + 0.1:.2f}" height="{abs(20.0 * value):.1f}"/>'
        for j, value in enumerate(values[grid])
    ]
    return (
        f'<svg class="small" viewBox="0 0 120 40" fill="{color}" role="img" '
        f'aria-label="Silhouettes from {values[0]:.2f} down to {values[-1]:.2f}">'
        f'{"".join(bars)}<line x1="0" y1="20" x2="120" y2="20"/></svg>'
    )


def difference_bar(difference: float, color: str) -> str:
    """Draw a difference as a bar to the left or right of zero."""
    length = min(abs(difference), 3.0) / 3.0 * 50.0
    start = 50.0 if difference > 0 else 50.0 - length
    return (
        '<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" '
        f'aria-hidden="true"><rect x="{start:.1f}" y="2" width="{length:.1f}" '
        f'height="6" fill="{color}"/><line x1="50" y1="0" x2="50" y2="10"/></svg>'
    )
