"""Tables and reports that the command writes."""

import json
import os
import re
from functools import partial
from html import unescape
from pathlib import Path

import pandas as pd
import pytest
from tests.cli.command import run

from maxmargin.selection.stability import cluster_stability


@pytest.mark.parametrize("suffix", ["tsv", "parquet", "arrow", "npy", "npz"])
def test_outputs(iris, tmp_path, suffix):
    out = tmp_path / f"labels.{suffix}"
    result = run("cluster", iris, "-k", 2, "--drop", "species", "--out", out, "--json")
    summary = json.loads(result.stdout)
    assert sum(summary["sizes"]) == summary["rows"] == 150
    assert summary["files"] == {"out": str(out)}
    assert "looks like ids" in summary["notes"][0]
    assert out.stat().st_size > 150


def test_commands_of_the_report_use_the_same_columns(iris, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    once = partial(cluster_stability, n_refits=1)  # to save time
    monkeypatch.setattr("maxmargin.selection.stability.cluster_stability", once)
    given = ["--label", "species", "--drop", "sw,pw", "--id", "plant", "--scale", "on"]
    run("cluster", iris, *given, "-k", 3, "--report", "r.html")
    lines = re.findall("<code>(maxmargin .*?)</code>", Path("r.html").read_text())
    options = "--drop sw,pw --id plant --scale on --label species"
    assert [unescape(line) for line in lines] == [
        f"maxmargin compare {iris} -k 3 --picture compare.png {options}",
        f"maxmargin cluster {iris} -k 3 --model model.npz {options}",
        "maxmargin predict model.npz new.csv --out labels.csv --id plant",
    ]
    assert "2 features" in run(*lines[1].split()[1:]).stdout
    Path("new.csv").write_bytes(iris.read_bytes())
    run(*lines[2].split()[1:])


def test_the_input_is_never_replaced(iris, tmp_path):
    table, link, model = tmp_path / "t.csv", tmp_path / "l.csv", tmp_path / "m.npz"
    content = iris.read_bytes()
    table.write_bytes(content)
    link.symlink_to(table)
    run("cluster", table, "-k", 2, "--drop", "species", "--model", model)
    saved = model.read_bytes()
    for arguments in [
        *(["cluster", table, f"--{n}", table] for n in ("out", "model", "report")),
        ["cluster", table, "--out", link],
        ["evolve", table, "--time", "plant", "--out", table],
        ["classify", table, "--label", "species", "--model", table],
        ["compare", table, "--picture", table],
        ["predict", model, table, "--out", table],
        ["predict", model, table, "--out", model],
    ]:
        for force in ([], ["--force"]):
            result = run(*arguments, *force, code=2)
            assert "would replace the input" in result.stderr
    assert (table.read_bytes(), model.read_bytes()) == (content, saved)


def test_keep(tmp_path):
    table, out, model = (tmp_path / n for n in ("t.csv", "o.csv", "m.npz"))
    lines = ["who,when,cluster,x", "b,m10,u,2", "a,m9,v,1", "c,m9,u,", "a,m10,w,30"]
    table.write_text("\n".join(lines) + "\n")
    options = ["--missing", "drop", "--out", out, "--keep", "--force"]
    columns = ["--features", "x", *options]

    run("cluster", table, "-k", 2, *columns, "--id", "who", "--model", model)
    found = pd.read_csv(out)
    assert list(found) == ["who", "when", "cluster", "x", "cluster_found"]
    assert found["who"].tolist() == ["b", "a", "a"]
    assert found["x"].tolist() == [2, 1, 30]
    clusters = found["cluster_found"].tolist()

    run("predict", model, table, "--id", "who", *options)
    assert pd.read_csv(out).equals(found)
    run("predict", model, table, *options)
    assert pd.read_csv(out)["row"].tolist() == [0, 1, 3]
    assert pd.read_csv(out)["cluster_found"].tolist() == clusters

    run("classify", table, "--label", "who", *columns)
    assert list(pd.read_csv(out)) == [*list(found)[:4], "row", "who_found"]

    run("evolve", table, "--time", "when", "--id", "who", "--features", "x",
        *("--missing", "median", "--out", out, "--keep", "--force"))  # fmt: skip
    moves = pd.read_csv(out)
    assert moves["when"].tolist() == ["m9", "m9", "m10", "m10"]
    assert moves["cluster"].tolist() == ["v", "u", "u", "w"]
    assert list(moves)[4:] == ["cluster_found", "event"]

    assert "--keep needs --out" in run("cluster", table, "--keep", code=2).stderr
    result = run("cluster", "-", "--keep", "--out", out, code=2, input=b"x")
    assert "cannot be read twice" in result.stderr


def test_kept_columns_may_have_the_names_of_found_ones(tmp_path):
    path, out = tmp_path / "t.csv", tmp_path / "o.csv"
    columns = {"cluster": range(40), "cluster_found": range(40, 80), "x": [0, 9] * 20}
    pd.DataFrame(columns).to_csv(path, index=False)
    run("cluster", path, "--features", "x", "-k", 2, "--out", out, "--keep")
    found = pd.read_csv(out)
    assert found["cluster"].tolist() == list(range(40))
    assert found["cluster_found"].tolist() == list(range(40, 80))
    assert found["cluster_found_found"].nunique() == 2


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write")
def test_a_read_only_folder(iris, tmp_path):
    tmp_path.chmod(0o500)
    result = run("cluster", iris, "--out", tmp_path / "o.csv", code=2)
    assert "is not writable" in result.stderr
