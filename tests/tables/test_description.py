"""What distinguishes clusters, against means computed by hand."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from maxmargin import MaxMarginClustering
from maxmargin.tables import describe_clusters


@pytest.fixture
def frame(random):
    labels = random.randint(3, size=200)
    return labels, pd.DataFrame(
        {
            "id": [f"u{i}" for i in range(200)],
            "size": 4.0 * labels + random.randn(200),
            "kind": np.array(["red", "green", "blue"])[labels],
            "noise": random.randn(200),
        }
    )


def test_differences(frame):
    labels, frame = frame
    frame.loc[::9, "size"] = np.nan
    for description in describe_clusters(frame, labels, n_differences=10):
        own = labels == description.label
        assert description.size == own.sum()
        strengths = [abs(d.difference) for d in description.differences]
        assert strengths == sorted(strengths, reverse=True)
        assert {d.column for d in description.differences} == {"size", "kind", "noise"}
        for d in description.differences:
            x = frame[d.column] if d.value is None else frame[d.column].eq(d.value)
            inside, outside = x[own].mean(), x[~own].mean()
            assert d.inside == pytest.approx(inside)
            assert d.outside == pytest.approx(outside)
            strength = (inside - outside) / x.std(ddof=0)
            assert d.difference == pytest.approx(strength)


def test_typical_rows_and_margins(frame):
    _, frame = frame
    model = MaxMarginClustering(3, random_state=0).fit(frame)
    found = describe_clusters(frame, model.labels_, model)
    for description in found:
        assert model.labels_[description.typical_row] == description.label
        assert description.margin > 0
        assert len(description.differences) <= 6
    assert describe_clusters(pl.from_pandas(frame), model.labels_, model) == found


def test_arrays_and_rows_without_a_cluster(random):
    X = random.randn(50, 3)
    X[:20, 1] += 5.0
    labels = np.where(np.arange(50) < 20, 0, 1)
    labels[-5:] = -1
    first, second = describe_clusters(X, labels)
    assert (first.label, first.size, second.size) == (0, 20, 25)
    assert first.differences[0].column == "x1"
    with pytest.raises(ValueError, match="give one label for each row"):
        describe_clusters(X, labels[:7])
