import numba
import numpy as np
import pytest
from sklearn.datasets import make_blobs

from maxmargin import MaxMarginClustering, progress
from maxmargin.compiled import compilation_told


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


def test_a_share_never_falls():
    seen = []
    report = progress.rising(lambda share, name: seen.append((share, name)))
    for share in (0.1, 0.5, 0.2, 0.6):
        report(share, "stage")
    assert [share for share, _ in seen] == [0.1, 0.5, 0.5, 0.6]


def test_the_number_of_clusters_is_a_stage_of_a_fit():
    X, _ = make_blobs(300, centers=3, random_state=0)
    seen = []
    with progress.report_to(lambda share, name: seen.append((share, name))):
        MaxMarginClustering(random_state=0).fit(X)
    names = [name for _, name in seen]
    after = seen[max(i for i, name in enumerate(names) if "number" in name)][0]
    assert 0.9 < after < 1.0  # of 300 rows it takes nearly all of the time
    assert all(0 <= share <= 1 for share, _ in seen)


def test_compilation_is_told_once():
    @numba.njit
    def add(a, b):
        return a + b

    told = []
    with compilation_told(told.append):
        assert add(1, 2) == 3
        assert add(1.0, 2.0) == 3.0  # compiled again, for other types
    assert told == ["compiling, once after installation"]
    with compilation_told(told.append):
        add(1, 2)
    assert len(told) == 1
