"""Help, usage, and the commands without a table."""

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, load_wine
from tests.cli.command import run

from maxmargin import MaxMarginClustering
from maxmargin.cli.console import print_table
from maxmargin.cli.main import main


def test_help():
    result = run("--help")
    for name in main.commands:
        assert name in result.stdout
        assert "Usage" in run(name, "--help").stdout
    assert "Usage" in run().stdout
    assert "0." in run("--version").stdout


def test_help_loads_nothing_heavy():
    code = (
        "import sys\nfrom maxmargin.cli.main import main\n"
        "try: main(['--help'])\nexcept SystemExit: pass\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    )
    heavy = {"numpy", "rich", "pyarrow", "sklearn", "numba", "matplotlib"}
    assert "Usage" in result.stdout
    assert heavy.isdisjoint(result.stderr.split())


def test_demo_and_info(tmp_path):
    result = run("demo", tmp_path / "new", "--data", "iris")
    assert "3 clusters" in result.stdout
    names = {path.name for path in (tmp_path / "new").iterdir()}
    assert names == {"iris.csv", "clusters.csv", "model.npz", "report.html"}
    run("demo", tmp_path / "new", "--data", "iris", code=2)
    assert "sepal_length" in run("info", tmp_path / "new" / "iris.csv").stdout
    assert "numba" in run("info").stdout
    assert json.loads(run("info", "--json").stdout)["maxmargin"]


def test_bad_usage(iris, tmp_path):
    run("cluster", code=2)
    run("no-such-command", code=2)
    run("cluster", tmp_path / "none.csv", code=2)
    run("cluster", iris, "-k", "many", code=2)
    run("cluster", iris, "--missing", "guess", code=2)
    assert "neighbors, " in run("cluster", iris, "--kernel", "cubic", code=2).stderr
    out = tmp_path / "o.csv"
    out.write_text("mine")
    result = run("cluster", iris, "--out", out, code=2)
    assert "--force" in result.stderr
    assert out.read_text() == "mine"
    run("cluster", iris, "--out", tmp_path / "no" / "o.csv", code=2)
    run("cluster", iris, "--out", tmp_path / "a.csv", "--model", tmp_path / "a.csv",
        code=2)  # fmt: skip
    run("cluster", iris, "-k", 2, "--drop", "species", "--out", out, "--force")
    assert out.read_text() != "mine"


def test_a_pipe_does_not_wrap(capsys):
    print_table(["", "value"], [["columns", "name, " * 5000]], texts=None)
    assert len(capsys.readouterr().out.splitlines()) == 3


@pytest.mark.filterwarnings("ignore:.* clusters are empty")
@pytest.mark.parametrize("name", ["wine", "iris", "units"])
@pytest.mark.parametrize("kernel", ["auto", "rbf", "linear"])
def test_command_and_library_give_the_same_labels(tmp_path, name, kernel):
    random = np.random.RandomState(0)
    X = random.randn(200, 3) + np.repeat([[0, 0, 0], [4, 0, 4]], 100, axis=0)
    tables = {"wine": load_wine().data, "iris": load_iris().data}
    X = tables.get(name, X * [1e4, 1, 1] + [1e6, 5, -3])
    path, out = tmp_path / "t.csv", tmp_path / "o.csv"
    pd.DataFrame(X).add_prefix("x").to_csv(path, index=False)
    run("cluster", path, "-k", 3, "--kernel", kernel, "--out", out)
    model = MaxMarginClustering(3, kernel=kernel, random_state=0).fit(X)
    np.testing.assert_array_equal(pd.read_csv(out)["cluster"], model.labels_)
