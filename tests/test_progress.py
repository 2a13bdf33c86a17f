import numpy as np
import pytest

from maxmargin import MaxMarginClustering, progress


def test_nobody_listens_before_or_after():
    heard = []
    with progress.step(0, 2):
        progress.update(0.5)
    with (
        pytest.raises(ValueError, match="in the run"),
        progress.report_to(lambda share, name: heard.append(share)),
    ):
        raise ValueError("in the run")
    progress.update(0.5)
    assert heard == []


def test_steps_within_steps():
    heard = []
    with progress.report_to(lambda share, name: heard.append(share)):
        for number in range(2):
            with progress.step(number, 2):
                progress.update(0.5)
        with progress.step(1, 4), progress.step(0, 2):
            pass
    progress.update(1.0)
    assert heard == [0, 0.25, 0.5, 0.5, 0.75, 1, 0.25, 0.25, 0.375, 0.5]


def test_names_are_those_of_the_innermost_stage():
    heard = []
    with progress.report_to(lambda share, name: heard.append((share, name))):
        with progress.stage(0.0, 0.5, "outer"):
            with progress.stage(0.5, 1.0, "inner"):
                progress.update(0.5)
        progress.update(1.0)
    assert heard == [
        (0.0, "outer"),
        (0.25, "inner"),
        (0.375, "inner"),
        (0.5, "inner"),
        (0.5, "outer"),
        (1.0, ""),
    ]


def test_a_fit_tells_how_far_it_is(random):
    X = random.randn(5000, 2) + 6.0 * random.randint(2, size=5000)[:, None]
    heard = []
    with progress.report_to(lambda share, name: heard.append((share, name))):
        MaxMarginClustering(2, random_state=0).fit(X)
    shares, names = zip(*heard, strict=True)
    assert np.all(np.diff(shares) >= 0)
    assert shares[-1] == 1.0
    seen = [name for name in dict.fromkeys(names) if name]
    assert seen == ["neighbors", "eigenvectors", "search", "labels"]


@pytest.mark.parametrize("kernel", ["neighbors", "rbf"])
def test_objectives_of_a_search(kernel):
    X = np.random.RandomState(0).randn(60, 3)
    model = MaxMarginClustering(3, kernel=kernel, random_state=0)
    expected = model.fit_predict(X)
    heard = []
    with progress.report_to(
        lambda *_: None, lambda number, value, *_: heard.append(value)
    ):
        found = model.fit_predict(X)
    assert progress.round_callback(0) is None
    assert np.array_equal(found, expected)
    assert len(heard) > 1
    assert model.objective_ == pytest.approx(max(heard), rel=0.01)
