"""The page about clusters of a table with times, with its picture in SVG."""

from collections import Counter
from collections.abc import Sequence
from html import escape
from itertools import pairwise
from typing import Any

import numpy as np

from maxmargin.evolving.snapshots import SnapshotRecord
from maxmargin.plots.timeline import count_moves
from maxmargin.report import layout
from maxmargin.report.colors import color_variable
from maxmargin.report.results import TableResult

HEIGHT, TOP, BAR_WIDTH = 300.0, 12.0, 14.0
MAX_SHOWN = 10  # moves, and objects
MAX_EVENTS = 100
NO_MOVES = "<p>No object changed its cluster.</p>"

TIMELINE_NOTE = """One column for each snapshot, divided by cluster. The bands between
two columns are the objects in both snapshots. A band that ends at another colour shows
objects that changed their cluster."""
EVENTS_NOTE = """What happened to clusters. A cluster grew or shrank by half or a third
since it was last reported, and drifted by more than its radius."""
SNAPSHOTS_NOTE = """Snapshot cost: the cost of the clusters for the current objects.
Temporal cost: their cost for the past. Smaller is better."""
NEXT_STEPS = [
    "If clusters change too much, use a smaller <code>--weight</code>; if they lag "
    "behind the data, a larger one.",
    "<code>--strategy</code> determines what changes little over time: the data as a "
    "whole (<code>cohort</code>), the cluster of each object (<code>individual</code>) "
    "or the decision functions (<code>model</code>).",
]


def make_timeline_page(result: TableResult) -> str:
    """Return the page about the clusters of a table with times."""
    history = result.estimator.history_
    n_names = 1 + max(int(record.labels.max()) for record in history)
    picture = timeline_picture(history, n_names)
    sections = [
        layout.section(
            "Timeline", f'<div class="map scroll">{picture}</div>', TIMELINE_NOTE
        ),
        layout.section("Events", _events(history), EVENTS_NOTE),
        layout.section("Snapshots", _snapshots(history), SNAPSHOTS_NOTE),
        layout.section("Largest moves", _largest_moves(history)),
        layout.section("Objects with the most moves", _moving_objects(history)),
    ]
    found = layout.counted_range(cluster_numbers(history), "clusters")
    title = f"{found} over time in {result.samples.table}"
    details = layout.details_of(result)
    what = "clusters of the last snapshot"
    steps = [*NEXT_STEPS, layout.prediction_step("evolve", result, what)]
    return layout.page(title, _lead(result), sections, details, steps, n_names)


def cluster_numbers(history: Sequence[SnapshotRecord]) -> list[int]:
    """Return the number of clusters at each time."""
    return [len(np.unique(record.labels)) for record in history]


def _lead(result: TableResult) -> str:
    n_rows, n_features = result.samples.X.shape
    history = result.estimator.history_
    moved = sum(record.moved for record in history)
    repeated = moved + sum(record.stayed for record in history)
    counts = {"rows": n_rows, "snapshots": len(history), "features": n_features}
    text = ", ".join(layout.counted(n, nouns) for nouns, n in counts.items()) + "."
    if not repeated:
        return f"{text} No object occurs in two consecutive snapshots."
    times = layout.counted(repeated, "times")
    return (
        f"{text} {times} an object occurs in two consecutive snapshots; in "
        f"{moved / repeated:.1%} of these cases it moves to another cluster."
    )


def timeline_picture(history: Sequence[SnapshotRecord], n_clusters: int) -> str:
    """Draw a column for each snapshot, and bands for the objects in two of them."""
    step = max(90.0, 640.0 / max(len(history), 1))
    width = step * len(history)
    unit = HEIGHT / max(len(record.ids) for record in history)
    parts = [
        f'<svg viewBox="0 0 {width:.0f} {HEIGHT + 2 * TOP + 20:.0f}" role="img" '
        f'style="min-width:{min(width, 60 * len(history)):.0f}px" '
        'aria-label="Sizes of clusters over time">'
    ]
    tops = []
    for number, record in enumerate(history):
        sizes = np.bincount(record.labels, minlength=n_clusters)
        tops.append(TOP + np.concatenate([[0.0], np.cumsum(sizes * unit)[:-1]]))
        parts += _column(record, sizes, tops[-1], step * (number + 0.5), unit)
        parts += _marks(record, tops[-1], step * (number + 0.5))
    for number, (before, now) in enumerate(pairwise(history)):
        start = step * (number + 0.5) + BAR_WIDTH / 2
        flows = count_moves(before, now, n_clusters) * unit
        parts += _bands(flows, tops[number], tops[number + 1], start, step - BAR_WIDTH)
    parts.append("</svg>")
    return "".join(parts)


def _column(
    record: SnapshotRecord,
    sizes: np.ndarray,
    tops: np.ndarray,
    middle: float,
    unit: float,
) -> list[str]:
    """Draw the clusters of a snapshot, and its time below them."""
    time = str(record.time)
    parts = [
        f'<rect x="{middle - BAR_WIDTH / 2:.1f}" y="{tops[h]:.1f}" '
        f'width="{BAR_WIDTH:.0f}" height="{sizes[h] * unit:.1f}" '
        f'fill="{color_variable(h)}"><title>{escape(time)}: cluster {h}, '
        f"{layout.counted(sizes[h], 'objects')}</title></rect>"
        for h in np.flatnonzero(sizes).tolist()
    ]
    parts.append(
        f'<text class="axis" x="{middle:.1f}" y="{HEIGHT + 2 * TOP + 8:.0f}">'
        f"{escape(time[:14])}</text>"
    )
    return parts


def _marks(record: SnapshotRecord, tops: np.ndarray, middle: float) -> list[str]:
    """Mark the clusters with events; the text is shown by the mouse."""
    return [
        f'<circle cx="{middle:.1f}" cy="{tops[event.cluster]:.1f}" r="4">'
        f"<title>{escape(str(record.time))}: cluster {event.cluster} {event.kind}"
        f"{' (' + ', '.join(map(str, event.others)) + ')' if event.others else ''}"
        "</title></circle>"
        for event in record.events
    ]


def _bands(
    flows: np.ndarray, left: np.ndarray, right: np.ndarray, start: float, width: float
) -> list[str]:
    """Draw the flows between the clusters of two columns with the given tops."""
    left, right = left.copy(), right.copy()
    end, middle = start + width, start + width / 2
    parts = []
    for a, b in np.argwhere(flows > 0):
        size, y, z = flows[a, b], left[a], right[b]
        left[a] += size
        right[b] += size
        parts.append(
            f'<path fill="{color_variable(a)}" fill-opacity=".35" d="M{start:.1f} '
            f"{y:.1f}C{middle:.1f} {y:.1f} {middle:.1f} {z:.1f} {end:.1f} {z:.1f}"
            f"V{z + size:.1f}C{middle:.1f} {z + size:.1f} {middle:.1f} "
            f'{y + size:.1f} {start:.1f} {y + size:.1f}Z"/>'
        )
    return parts


def _snapshots(history: Sequence[SnapshotRecord]) -> str:
    header = ["time", "objects", "clusters", "stayed", "moved", "came", "left"]
    rows = []
    for one, k in zip(history, cluster_numbers(history), strict=True):
        counts = (len(one.ids), k, one.stayed, one.moved, one.came, one.left)
        costs = (f"{one.snapshot_cost:.3g}", f"{one.temporal_cost:.3g}")
        rows.append((escape(str(one.time)), *(f"{n:,}" for n in counts), *costs))
    return layout.table([*header, "snapshot cost", "temporal cost"], rows)


def _events(history: Sequence[SnapshotRecord]) -> str:
    """Return the table of events, the latest last, the largest first within a time."""
    rows = [
        (
            escape(str(record.time)),
            event.kind,
            layout.badge(event.cluster),
            " ".join(layout.badge(name) for name in event.others),
            f"{len(event.objects):,}",
        )
        for record in history
        for event in sorted(record.events, key=lambda one: -len(one.objects))
    ]
    if not rows:
        return "<p>No cluster was born, died, split, merged or changed much.</p>"
    note = ""
    if len(rows) > MAX_EVENTS:
        note = f"<p>The last {MAX_EVENTS} of {len(rows):,} events.</p>"
    header = ["time", "event", "cluster", "clusters concerned", "objects"]
    return note + layout.table(header, rows[-MAX_EVENTS:])


def _largest_moves(history: Sequence[SnapshotRecord]) -> str:
    found = []
    for before, now in pairwise(history):
        n_clusters = 1 + int(max(before.labels.max(), now.labels.max()))
        counts = count_moves(before, now, n_clusters)
        np.fill_diagonal(counts, 0)
        found += [(counts[a, b], now.time, a, b) for a, b in np.argwhere(counts > 0)]
    if not found:
        return NO_MOVES
    found.sort(key=lambda move: -move[0])
    rows = [
        (escape(str(time)), layout.badge(a), layout.badge(b), f"{count:,}")
        for count, time, a, b in found[:MAX_SHOWN]
    ]
    return layout.table(["time", "from", "to", "objects"], rows)


def _moving_objects(history: Sequence[SnapshotRecord]) -> str:
    """Return the objects that changed their cluster most often, with their clusters."""
    paths: dict[Any, list[int]] = {}
    for record in history:
        for name, label in zip(
            record.ids.tolist(), record.labels.tolist(), strict=True
        ):
            paths.setdefault(name, []).append(label)
    moves = Counter({n: sum(a != b for a, b in pairwise(p)) for n, p in paths.items()})
    rows = [
        (escape(str(name)), count, " ".join(map(str, paths[name][-20:])))
        for name, count in moves.most_common(MAX_SHOWN)
        if count
    ]
    if not rows:
        return NO_MOVES
    return layout.table(["object", "moves", "clusters over time"], rows)
