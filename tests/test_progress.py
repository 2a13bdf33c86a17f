import numpy as np
import pytest

from maxmargin import MaxMarginClustering, progress


def test_nobody_listens_before_or_after():
    heard = []
    with progress.step(0, 2):
        progress.update(0.5)
    with (
        pytest.raises(ValueError, match="in the run"),
        progress.report_to(heard.append),
    ):
        raise ValueError("in the run")
    progress.update(0.5)
    assert heard == []


def test_steps_within_steps():
    heard = []
    with progress.report_to(heard.append):
        for number in range(2):
            with progress.step(number, 2):
                progress.update(0.5)
        with progress.step(1, 4), progress.step(0, 2):
            pass
    progress.update(1.0)
    assert heard == [0.25, 0.5, 0.75, 1.0, 0.375, 0.5]


def test_a_fit_on_parts_tells_how_far_it_is(random):
    X = random.randn(5000, 2) + 6.0 * random.randint(2, size=5000)[:, None]
    heard = []
    with progress.report_to(heard.append):
        MaxMarginClustering(2, random_state=0).fit(X)
    assert len(heard) >= 3
    assert np.all(np.diff(heard) >= 0)
    assert heard[-1] == 1.0
