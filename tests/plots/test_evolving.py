"""Displays of clusters over time."""

import numpy as np
import pytest

from maxmargin import EvolvingMaxMarginClustering
from maxmargin.datasets import make_evolving_gaussians
from maxmargin.evolving.snapshots import SnapshotRecord
from maxmargin.plots import DriftDisplay, TimelineDisplay
from maxmargin.plots.timeline import count_moves


def test_timeline_shows_sizes_and_flows(tmp_path):
    model = EvolvingMaxMarginClustering(random_state=0)
    steps = make_evolving_gaussians(60, 3, random_state=0)
    for t, step in enumerate(steps):
        model.partial_fit(step.X[t:], ids=step.ids[t:], time=step.time)
    display = TimelineDisplay.from_history(model.history_)
    assert display.sizes.sum(axis=1).tolist() == [60, 59, 58, 57]
    for record, flow in zip(model.history_[1:], display.flows, strict=True):
        assert np.trace(flow) == record.stayed
        assert flow.sum() == record.stayed + record.moved
    heights = [bar.get_height() for bar in display.ax_.patches]
    np.testing.assert_allclose(heights, display.sizes.ravel())
    assert len(display.ax_.collections) == np.count_nonzero(display.flows)
    display.figure_.savefig(tmp_path / "timeline.png")


def test_drift_has_a_panel_for_each_snapshot(tmp_path):
    steps = make_evolving_gaussians(60, 4, random_state=0)
    model = EvolvingMaxMarginClustering(random_state=0)
    display = DriftDisplay.from_estimator(model, steps, resolution=20)
    assert [ax.get_title() for ax in display.axes_] == ["0", "1", "2", "3", "4"]
    assert not hasattr(model, "history_")  # the estimator itself is left alone
    display.figure_.savefig(tmp_path / "drift.png")
    wide = [step._replace(X=np.ones((60, 3))) for step in steps]
    with pytest.raises(ValueError, match="two"):
        DriftDisplay.from_estimator(model, wide)


def test_moves_are_of_objects_in_both_snapshots():
    def record(time, ids, labels):
        return SnapshotRecord(
            time, np.array(ids), np.array(labels), 0.0, 0.0, 0.0, 0, 0, 0, 0
        )

    before = record(1, ["a", "b", "c", "d"], [0, 0, 1, 1])
    now = record(2, ["d", "a", "c", "e"], [0, 0, 1, 1])
    assert count_moves(before, now, 2).tolist() == [[1, 0], [1, 1]]
    assert TimelineDisplay.from_history([before]).flows.shape == (0, 2, 2)
