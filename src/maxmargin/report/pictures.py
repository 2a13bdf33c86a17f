"""Pictures as SVG: sharp on any screen and on paper, light or dark."""

from html import escape

import numpy as np

from maxmargin.plots.projection import opacity_of
from maxmargin.plots.style import cluster_color
from maxmargin.report.facts import Facts

WIDTH, HEIGHT, BORDER = 640.0, 420.0, 14.0


def map_picture(facts: Facts) -> str:
    """Draw the rows in the plane of largest variance, fainter at the boundary."""
    low = facts.positions.min(axis=0)
    wide = facts.positions.max(axis=0) - low
    wide = np.where(wide > 0, wide, 1.0)
    places = (facts.positions - low) / wide
    xs = BORDER + places[:, 0] * (WIDTH - 2 * BORDER)
    ys = HEIGHT - BORDER - places[:, 1] * (HEIGHT - 2 * BORDER)
    opacity = opacity_of(facts.position_margins)
    radius = 4.0 if len(xs) < 400 else 3.0
    parts = [
        f'<svg viewBox="0 0 {WIDTH:.0f} {HEIGHT:.0f}" role="img" '
        'aria-label="Map of the rows, coloured by cluster">'
    ]
    for h in range(len(facts.sizes)):
        own = np.flatnonzero(facts.position_labels == h)
        if len(own) == 0:
            continue
        parts.append(f'<g fill="{cluster_color(h)}">')
        for i in own:
            name = escape(facts.position_names[i])
            parts.append(
                f'<circle cx="{xs[i]:.1f}" cy="{ys[i]:.1f}" r="{radius:.0f}" '
                f'fill-opacity="{opacity[i]:.2f}"><title>{name}: cluster {h}</title>'
                "</circle>"
            )
        parts.append("</g>")
    parts.extend(_numbers(facts, xs, ys))
    parts.append("</svg>")
    return "".join(parts)


def _numbers(facts: Facts, xs: np.ndarray, ys: np.ndarray) -> list[str]:
    """Write the number of each cluster at its middle, moved off others."""
    taken: list[tuple[float, float]] = []
    parts = []
    for h in range(len(facts.sizes)):
        own = facts.position_labels == h
        if not own.any():
            continue
        x, y = float(np.median(xs[own])), float(np.median(ys[own]))
        for _ in range(20):
            near = [
                (a, b) for a, b in taken if abs(a - x) < 26 and abs(b - y) < 26
            ]  # fmt: skip
            if not near:
                break
            y += 27 if y < HEIGHT / 2 else -27
        x, y = min(max(x, 16), WIDTH - 16), min(max(y, 16), HEIGHT - 16)
        taken.append((x, y))
        parts.append(
            f'<g class="number"><circle cx="{x:.1f}" cy="{y:.1f}" r="12" '
            f'stroke="{cluster_color(h)}"/><text x="{x:.1f}" y="{y + 4.5:.1f}">{h}'
            "</text></g>"
        )
    return parts


def silhouette_picture(values: np.ndarray, color: str) -> str:
    """Draw the silhouettes of a cluster's rows, falling from left to right."""
    if len(values) == 0:
        return ""
    grid = np.linspace(0, len(values) - 1, min(len(values), 80)).round().astype(int)
    step = 120.0 / len(grid)
    bars = []
    for j, value in enumerate(values[grid]):
        top = min(20.0, 20.0 - 20.0 * value)
        bars.append(
            f'<rect x="{j * step:.2f}" y="{top:.1f}" width="{step + 0.1:.2f}" '
            f'height="{abs(20.0 * value):.1f}"/>'
        )
    return (
        f'<svg class="small" viewBox="0 0 120 40" fill="{color}" role="img" '
        f'aria-label="Silhouettes from {values[0]:.2f} down to {values[-1]:.2f}">'
        f'{"".join(bars)}<line x1="0" y1="20" x2="120" y2="20"/></svg>'
    )


def difference_bar(difference: float, color: str) -> str:
    """Draw a difference in standard deviations, to the left or right of nought."""
    length = min(abs(difference), 3.0) / 3.0 * 50.0
    start = 50.0 if difference > 0 else 50.0 - length
    return (
        '<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" '
        f'aria-hidden="true"><rect x="{start:.1f}" y="2" width="{length:.1f}" '
        f'height="6" fill="{color}"/><line x1="50" y1="0" x2="50" y2="10"/></svg>'
    )
