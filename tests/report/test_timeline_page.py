from xml.etree import ElementTree

import numpy as np

from maxmargin.evolving.snapshots import SnapshotRecord
from maxmargin.report.timeline_page import timeline_picture


def record(time, ids, labels):
    return SnapshotRecord(
        time, np.array(ids), np.array(labels), 0.0, 0.0, 0.0, 0, 0, 0, 0
    )


def test_bands_fill_no_more_than_the_columns():
    history = [
        record("<1>", [1, 2, 3, 4], [0, 0, 1, 1]),
        record("2", [1, 2, 3, 5, 6, 7], [0, 1, 1, 0, 0, 0]),
        record("3", [9], [1]),
    ]
    picture = ElementTree.fromstring(timeline_picture(history, 2))
    heights = [float(bar.get("height")) for bar in picture.iter("rect")]
    np.testing.assert_allclose(heights, [100, 100, 200, 100, 50])  # 300 for six objects
    assert len(list(picture.iter("path"))) == 3
    assert [text.text for text in picture.iter("text")] == ["<1>", "2", "3"]
