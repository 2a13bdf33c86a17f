"""Where code is compiled, once after an installation: in Python, command and page."""

import numba
import numpy as np
import pytest
from tests.cli.command import run

import maxmargin.clustering.max_margin as max_margin
from maxmargin import MaxMarginClustering
from maxmargin.compiled import COMPILING
from maxmargin.engine.fit import fit_source


@pytest.fixture
def uncompiled(monkeypatch):
    """A fit that compiles something, as the first one after an installation does."""

    def fit(*arguments):
        numba.njit(lambda x: x + 1)(1)
        return fit_source(*arguments)

    monkeypatch.setattr(max_margin, "fit_source", fit)


@pytest.mark.parametrize("verbose", [0, 1])
def test_python_tells_it_if_it_is_verbose(uncompiled, capsys, verbose):
    X = np.random.RandomState(0).randn(40, 2)
    MaxMarginClustering(2, random_state=0, verbose=verbose).fit(X)
    assert capsys.readouterr().out.count(COMPILING) == verbose


@pytest.mark.parametrize("command", ["cluster", "compare"])
def test_the_command_tells_it(uncompiled, monkeypatch, tmp_path, command):
    monkeypatch.setattr(
        "maxmargin.cli.compare.make_methods",
        lambda k: {"max margin": MaxMarginClustering(k)},
    )
    path = tmp_path / "t.csv"
    rows = np.random.RandomState(0).randn(40, 2)
    np.savetxt(path, rows, delimiter=",", header="a,b", comments="")
    result = run(command, path, "-k", 2)
    assert result.stderr.count(f"note: {COMPILING}") == 1


def test_the_page_tells_it_and_no_remaining_time():
    pytest.importorskip("fastapi", reason="needs the extra app")
    from maxmargin import progress
    from maxmargin.app.jobs import Job
    from maxmargin.app.worker import _run

    class Compiling:
        def run(self, name, arguments, send):
            progress.update(0.3, "reading")
            numba.njit(lambda x: x + 1)(1)
            return name

    events = []
    _run(Compiling(), {"name": "fit", "arguments": {}}, events.append)
    assert {"event": "progress", "share": 0.3, "stage": COMPILING} in events
    assert events[-1] == {"event": "done", "result": "fit"}
    job = Job("a", "fit", "work", state="running", share=0.3, stage=COMPILING)
    assert job.show()["stage"] == COMPILING
    assert job.show()["seconds_left"] is None
