"""The section of a report about the number of clusters: scores, and the next best."""

import math

from maxmargin.report import layout
from maxmargin.selection import ClusterCountTable

WIDTH, HEIGHT = 600.0, 120.0
N_OTHERS = 4  # next best numbers that are listed
LABELLED = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500)  # below the plot

NOTE = """Score: how much better the clusters are separated than as many clusters of
rows without clusters, times the probability that two rows are in different ones. One
cluster has 0, the largest score is chosen; a next best number is better than those
around it."""


def number_section(table: ClusterCountTable | None, n_clusters: int) -> str:
    """Return the section; nothing if the number was given and no others were scored."""
    if table is None or len(table.rows) < 2:
        return ""
    by_number = {row.n_clusters: row for row in table.rows}
    others = [row for row in table.maxima if row.n_clusters != table.best][:N_OTHERS]
    rows = [
        (row.n_clusters, f"{row.score:.3f}", f"{row.separation:.2f}", word)
        for row, word in [
            (by_number[table.best], "best"),
            *((other, "next best") for other in others),
        ]
    ]
    if n_clusters not in {row[0] for row in rows} and n_clusters in by_number:
        own = by_number[n_clusters]
        scores = f"{own.score:.3f}", f"{own.separation:.2f}"
        rows.append((own.n_clusters, *scores, "of this report"))
    heads = ["clusters", "score", "separation", ""]
    content = score_picture(table) + layout.table(heads, rows)
    return layout.section("Why this number of clusters?", content, NOTE)


def score_picture(table: ClusterCountTable) -> str:
    """Draw the scores by the logarithm of the number."""
    high = max(*(row.score for row in table.rows), 1e-9)
    low = max(min(0.0, *(row.score for row in table.rows)), -high)
    last = math.log(max(table.rows[-1].n_clusters, 2))
    points = []
    for row in table.rows:
        x = WIDTH * math.log(row.n_clusters) / last
        y = HEIGHT * (high - max(row.score, low)) / (high - low)
        points.append((row, x, y))
    zero = HEIGHT * high / (high - low)
    line = " ".join(f"{x:.1f},{y:.1f}" for _, x, y in points)
    marks = [
        f'<circle cx="{x:.1f}" cy="{y:.1f}" '
        f'r="{5 if row.n_clusters == table.best else 3}">'
        f"<title>{layout.counted(row.n_clusters, 'clusters')}: {row.score:.3f}</title>"
        "</circle>"
        for row, x, y in points
    ]
    numbers = [
        f'<text x="{x:.1f}" y="{HEIGHT + 18:.0f}">{row.n_clusters}</text>'
        for row, x, y in points
        if row.n_clusters in LABELLED
    ]
    return (
        f'<svg class="scores" viewBox="-20 -12 {WIDTH + 40:.0f} {HEIGHT + 36:.0f}" '
        f'role="img" aria-label="Scores of numbers of clusters, best {table.best}">'
        f'<line x1="0" x2="{WIDTH:.0f}" y1="{zero:.1f}" y2="{zero:.1f}"/>'
        f'<polyline points="{line}"/>{"".join(marks + numbers)}</svg>'
    )
