"""The page of clusters that follow data over time."""

from collections import Counter
from collections.abc import Sequence
from html import escape
from itertools import pairwise
from typing import Any

import numpy as np

from maxmargin.evolving.history import SnapshotRecord
from maxmargin.evolving.snapshots import match_objects
from maxmargin.plots.style import cluster_color
from maxmargin.report.layout import TIMELINE, badge, make_frame
from maxmargin.report.page import what_was_done

HEIGHT, TOP, BAR = 300.0, 12.0, 14.0
SHOWN = 10


def make_timeline_page(data: Any, estimator: Any, summary: dict[str, Any]) -> str:
    """Return the page about an evolving clusterer fitted to a table with times."""
    history = estimator.history_
    body = TIMELINE.substitute(
        timeline=timeline_picture(history, estimator.n_clusters_),
        snapshots="".join(_snapshot(record) for record in history),
        moves=_moves(history),
        restless=_restless(history),
    )
    moved = sum(record.moved for record in history)
    both = moved + sum(record.stayed for record in history)
    share = f", of which {moved / both:.1%} changed their cluster" if both else ""
    lead = (
        f"{summary['rows']:,} rows, {len(history)} snapshots, "
        f"{len(summary['features'])} features. From one snapshot to the next "
        f"{both:,} objects were seen again{share}."
    )
    return make_frame(
        f"{summary['n_clusters']} clusters over time in {summary['table']}",
        lead,
        body,
        what_was_done(data, estimator, summary),
        [
            "Clusters that jump: give the past more say with a smaller "
            "<code>--weight</code>. Clusters that lag behind: a larger one.",
            "What lasts: <code>--strategy cohort</code> the data as a whole, "
            "<code>individual</code> each object, <code>model</code> the functions.",
            "Keep the clusters of the last snapshot for new rows: "
            "<code>--model model.npz</code>, then <code>maxmargin predict</code>.",
        ],
    )


def timeline_picture(history: Sequence[SnapshotRecord], n_clusters: int) -> str:
    """Draw a column for each snapshot and bands for the objects that two share."""
    step = max(90.0, 640.0 / max(len(history), 1))
    width = step * len(history)
    most = max(len(record.ids) for record in history)
    unit = HEIGHT / most
    parts = [
        f'<svg viewBox="0 0 {width:.0f} {HEIGHT + 2 * TOP + 20:.0f}" role="img" '
        f'style="min-width:{min(width, 60 * len(history)):.0f}px" '
        'aria-label="Sizes of clusters over time">'
    ]
    tops = []
    for number, record in enumerate(history):
        x = step * (number + 0.5) - BAR / 2
        sizes = np.bincount(record.labels, minlength=n_clusters) * unit
        starts = TOP + np.concatenate([[0.0], np.cumsum(sizes)[:-1]])
        tops.append(starts)
        parts.extend(
            f'<rect x="{x:.1f}" y="{starts[h]:.1f}" width="{BAR:.0f}" '
            f'height="{sizes[h]:.1f}" fill="{cluster_color(h)}">'
            f"<title>{escape(str(record.time))}: cluster {h}, "
            f"{round(sizes[h] / unit)} objects</title></rect>"
            for h in range(n_clusters)
            if sizes[h] > 0
        )
        parts.append(
            f'<text class="axis" x="{x + BAR / 2:.1f}" y="{HEIGHT + 2 * TOP + 8:.0f}">'
            f"{escape(str(record.time))[:14]}</text>"
        )
    for number in range(1, len(history)):
        x = step * (number - 0.5) + BAR / 2
        parts.extend(
            _bands(history[number - 1 : number + 1], tops[number - 1 : number + 1],
                   (x, step - BAR), unit, n_clusters)
        )  # fmt: skip
    parts.append("</svg>")
    return "".join(parts)


def _bands(
    pair: Sequence[SnapshotRecord],
    tops: Sequence[np.ndarray],
    place: tuple[float, float],
    unit: float,
    n_clusters: int,
) -> list[str]:
    """Draw the objects that two snapshots share, by cluster then and now."""
    flows = count_moves(pair[0], pair[1], n_clusters) * unit
    left, right = tops[0].copy(), tops[1].copy()
    x, wide = place
    end, middle = x + wide, x + wide / 2
    parts = []
    for a in range(n_clusters):
        for b in range(n_clusters):
            size = flows[a, b]
            if size == 0:
                continue
            y, z = left[a], right[b]
            left[a] += size
            right[b] += size
            parts.append(
                f'<path fill="{cluster_color(a)}" fill-opacity=".35" d="M{x:.1f} '
                f"{y:.1f}C{middle:.1f} {y:.1f} {middle:.1f} {z:.1f} {end:.1f} {z:.1f}"
                f"V{z + size:.1f}C{middle:.1f} {z + size:.1f} {middle:.1f} "
                f'{y + size:.1f} {x:.1f} {y + size:.1f}Z"/>'
            )
    return parts


def count_moves(
    before: SnapshotRecord, now: SnapshotRecord, n_clusters: int
) -> np.ndarray:
    """Return how many objects were in one cluster and are in another (k x k)."""
    here, there = match_objects(now.ids, before.ids)
    counts = np.zeros((n_clusters, n_clusters), dtype=np.int64)
    np.add.at(counts, (before.labels[there], now.labels[here]), 1)
    return counts


def _snapshot(record: SnapshotRecord) -> str:
    return (
        f"<tr><td>{escape(str(record.time))}</td><td>{len(record.ids):,}</td>"
        f"<td>{record.stayed:,}</td><td>{record.moved:,}</td><td>{record.came:,}</td>"
        f"<td>{record.left:,}</td><td>{record.snapshot_cost:.3g}</td>"
        f"<td>{record.temporal_cost:.3g}</td></tr>"
    )


def _moves(history: Sequence[SnapshotRecord]) -> str:
    found = []
    for before, now in pairwise(history):
        n_clusters = 1 + int(max(before.labels.max(), now.labels.max()))
        counts = count_moves(before, now, n_clusters)
        np.fill_diagonal(counts, 0)
        found += [
            (int(counts[a, b]), now.time, a, b) for a, b in np.argwhere(counts > 0)
        ]
    found.sort(key=lambda move: -move[0])
    return "".join(
        f"<tr><td>{escape(str(time))}</td><td>{badge(int(a))}</td>"
        f"<td>{badge(int(b))}</td><td>{count:,}</td></tr>"
        for count, time, a, b in found[:SHOWN]
    ) or ("<tr><td colspan=4>no object changed its cluster</td></tr>")


def _restless(history: Sequence[SnapshotRecord]) -> str:
    """Return the objects that changed their cluster most often, and their paths."""
    paths: dict[Any, list[int]] = {}
    moves: Counter[Any] = Counter()
    for record in history:
        for name, label in zip(
            record.ids.tolist(), record.labels.tolist(), strict=True
        ):
            path = paths.setdefault(name, [])
            moves[name] += bool(path and path[-1] != label)
            path.append(label)
    rows = [
        f"<tr><td>{escape(str(name))}</td><td>{count}</td><td>"
        f"{' '.join(map(str, paths[name][-20:]))}</td></tr>"
        for name, count in moves.most_common(SHOWN)
        if count
    ]
    return "".join(rows) or "<tr><td colspan=3>none</td></tr>"
