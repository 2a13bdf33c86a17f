"""Models that are saved, and `maxmargin predict`."""

import json

import numpy as np
import pandas as pd
from tests.cli.command import run

from maxmargin import MaxMarginClustering


def test_cluster_then_predict(iris, tmp_path):
    out, model, page = (tmp_path / n for n in ("c.csv", "m.npz", "r.html"))
    result = run("cluster", iris, "-k", 3, "--id", "plant", "--label", "species",
                 "--out", out, "--model", model, "--report", page)  # fmt: skip
    assert "150 rows, 4 features, 3 clusters" in result.stdout
    assert "adjusted Rand index: 0." in result.stdout
    found = pd.read_csv(out)
    X = pd.read_csv(iris)[["sl", "sw", "pl", "pw"]].to_numpy()
    expected = MaxMarginClustering(3, random_state=0).fit_predict(X)
    assert found["plant"].tolist() == [f"p{i}" for i in range(150)]
    assert found["cluster"].tolist() == expected.tolist()
    assert page.read_text().startswith("<!DOCTYPE html>")
    again = run("predict", model, iris, "--id", "plant", "--out", "-")
    assert again.stdout == out.read_text()
    assert "MaxMarginClustering" in run("info", model).stdout


def test_bad_models(iris, tmp_path):
    model = tmp_path / "m.npz"
    np.savez(model, X=np.eye(3))
    assert "not a model file" in run("predict", model, iris, code=1).stderr
    run("cluster", iris, "-k", 2, "--features", "sl,sw", "--model", model, "--force")
    other = tmp_path / "other.csv"
    other.write_text("sl,height\n1,2\n")
    assert "no column 'sw'" in run("predict", model, other, code=1).stderr
    other.write_text("sl,sw\n1,\n")
    failed = run("predict", model, other, "--missing", "error", code=1)
    assert "missing or infinite in sw (1)" in failed.stderr
    filled = "missing in sw (1): numbers are the medians of their columns"
    assert filled in run("predict", model, other).stderr
    other.write_text("sl,sw\n1,tall\n")
    assert "must hold numbers" in run("predict", model, other, code=1).stderr


def test_predict_replaces_missing_values_by_those_of_near_rows(tmp_path):
    table, new, full, model = (
        tmp_path / n for n in ("t.csv", "new.csv", "full.csv", "m.npz")
    )
    rows = [(1, 90, "a"), (2, 91, "b"), (3, 92, "b"), (30, 10, "b"), (31, 12, "c")]
    lines = [",".join(map(str, row)) for row in rows]
    table.write_text("\n".join(["x,y,z", *lines]))
    run("cluster", table, "-k", 2, "--scale", "on", "--model", model)
    new.write_text("x,y,z\n,12,c\n2,,a\n2,90,\n3,inf,b\n")
    full.write_text("x,y,z\n30,12,c\n2,91,a\n2,90,b\n3,91,b\n")
    failed = run("predict", model, new, "--missing", "error", code=1)
    assert "--missing median" in failed.stderr
    shown = run("predict", model, new, "-o", "-")
    assert (
        "missing in x (1), y (2), z (1): numbers are those of similar" in shown.stderr
    )
    assert shown.stdout == run("predict", model, full, "--out", "-").stdout
    result = run("predict", model, new, "--missing", "drop", code=1)
    assert "Every row has a missing value" in result.stderr


def test_predict_names_values_that_the_model_does_not_know(tmp_path):
    path, model = tmp_path / "t.csv", tmp_path / "m.npz"
    channel, x = ["web", "shop"] * 20, np.random.RandomState(0).randn(40)
    x[::2] += 5.0  # tells the channel
    pd.DataFrame({"channel": channel, "x": x}).to_csv(path, index=False)
    run("cluster", path, "-k", 2, "--model", model)
    assert "does not know" not in run("predict", model, path).stderr
    new = pd.DataFrame({"channel": ["fax"] * 39 + ["web"], "x": x})
    new.to_csv(path, index=False)
    said = run("predict", model, path).stderr
    assert "39 rows with a value of 'channel' that the model does not know" in said
    assert "such as 'fax'" in said


def test_predict_takes_codes_from_any_format(tmp_path):
    table, same, model = (tmp_path / n for n in ("t.csv", "t.parquet", "m.npz"))
    random = np.random.RandomState(0)
    codes = random.choice([10115, 80331, 99084], 60)
    frame = pd.DataFrame({"zip": codes, "x": random.randn(60)})
    frame.to_csv(table, index=False)
    frame.to_parquet(same)
    run("cluster", table, "-k", 3, "--model", model)
    answers = [
        json.loads(run("predict", model, path, "--json").stdout)
        for path in (table, same)
    ]
    assert answers[0]["sizes"] == answers[1]["sizes"]
