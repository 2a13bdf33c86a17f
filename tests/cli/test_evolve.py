"""`maxmargin evolve`."""

import json

import numpy as np
import pandas as pd
import pytest
from tests.cli.command import run


def test_evolve(tmp_path):
    random = np.random.RandomState(0)
    group = random.randint(2, size=60)
    snapshots = [
        pd.DataFrame(
            {
                "customer": [f"c{i}" for i in range(60)],
                "month": f"m{m + 8}",
                "spent": 8.0 * group + m + random.randn(60),
                "visits": random.randn(60),
                "group": group,
            }
        )
        for m in range(3)
    ]
    path, out, model, page = (
        tmp_path / n for n in ("sales.csv", "o.csv", "m.npz", "r.html")
    )
    pd.concat(snapshots).sample(frac=1, random_state=0).to_csv(path, index=False)
    result = run("evolve", path, "--time", "month", "--id", "customer", "--label",
                 "group", "--out", out, "--model", model, "--report", page)  # fmt: skip
    assert "180 rows, 3 snapshots, 2 features, 2 clusters" in result.stdout
    assert "adjusted Rand index: 1.000" in result.stdout
    assert "times are in the order of the numbers in them: m8, m9, m10" in result.stderr
    found = pd.read_csv(out)
    assert found["month"].unique().tolist() == ["m8", "m9", "m10"]
    assert list(found) == ["month", "customer", "cluster", "event"]
    assert set(found["event"][60:]) == {"stayed"}
    assert "Timeline" in page.read_text()
    assert "120 times an object occurs in two consecutive snapshots" in page.read_text()
    new = run("predict", model, path, "--id", "customer", "--json")
    assert sum(json.loads(new.stdout)["sizes"]) == 180
    path.write_text("t,x\n1,2\n,3\n")
    result = run("evolve", path, "--time", "t", code=1)
    assert "'t' has missing times (1)" in result.stderr
    run("evolve", path, code=2)


def test_evolve_writes_events(tmp_path):
    random = np.random.RandomState(0)
    places = [[0, 0, 1, 1], [0, 2, 1, 1], [0, 2, 1, 1]]
    tables = []
    for month, place in enumerate(places):
        x = 10.0 * np.repeat(place, 20) + random.randn(80)
        columns = {"who": range(80), "t": month, "x": x, "y": random.randn(80)}
        tables.append(pd.DataFrame(columns))
    path, found, page = (tmp_path / n for n in ("t.csv", "e.csv", "r.html"))
    pd.concat(tables).to_csv(path, index=False)
    run("evolve", path, "--time", "t", "--id", "who", "-k", "auto", "--half-life", "0",
        "--events", found, "--report", page)  # fmt: skip
    events = pd.read_csv(found, dtype=str)
    assert list(events) == ["t", "event", "cluster", "others", "n_objects", "objects"]
    assert events["event"].tolist() == ["split"]
    assert events["t"].tolist() == ["1"]
    ids = {int(one) for one in events["objects"][0].split()}
    assert ids in (set(range(20)), set(range(20, 40)))
    assert "split" in page.read_text()
    run("evolve", path, "--time", "t", "--half-life", "-1", code=2)


def test_evolve_says_that_the_number_of_clusters_changes(tmp_path):
    random = np.random.RandomState(0)
    path, page = tmp_path / "t.csv", tmp_path / "r.html"
    places = [[0, 0, 9], [0, 9, 18], [0, 9, 18]]
    tables = [
        pd.DataFrame({"who": range(90), "t": t, "y": random.randn(90),
                      "x": np.repeat(place, 30) + random.randn(90)})
        for t, place in enumerate(places)
    ]  # fmt: skip
    pd.concat(tables).to_csv(path, index=False)
    words = ["--time", "t", "--id", "who", "--report", page]
    result = run("evolve", path, *words, "-k", "auto")
    assert "3 snapshots, 2 features, 2 to 3 clusters" in result.stdout
    assert "there are 2 to 3 clusters: where their number changes" in result.stderr
    assert "<title>2 to 3 clusters over time" in page.read_text()
    assert "time   objects   clusters   stayed" in result.stdout
    result = run("evolve", path, *words, "-k", 3, "--force")
    assert "2 features, 3 clusters" in result.stdout
    assert "number changes" not in result.stderr


@pytest.mark.parametrize("noise", [0.0, 0.01])
def test_where_nobody_moves_no_move_is_reported(iris, tmp_path, noise):
    random = np.random.RandomState(0)
    frame = pd.read_csv(iris).drop(columns="species")
    tables = []
    for month in range(4):
        table = frame.assign(month=month)
        table[["sl", "sw", "pl", "pw"]] += noise * random.randn(150, 4)
        tables.append(table)
    path = tmp_path / "still.csv"
    pd.concat(tables).to_csv(path, index=False)
    words = ["--time", "month", "--id", "plant", "-k", "auto", "--json"]
    found = json.loads(run("evolve", path, *words).stdout)
    assert found["snapshots"]["moved"] == [0, 0, 0, 0]
    assert len(set(found["snapshots"]["n_clusters"])) == 1


@pytest.mark.parametrize(
    ("time", "name"), [("event", "cluster"), ("cluster", "event"), ("row", None)]
)
def test_no_column_of_the_table_is_lost(tmp_path, time, name):
    random = np.random.RandomState(0)
    columns = {time: np.repeat([1, 2], 30), "x": random.randn(60)}
    if name is not None:
        columns[name] = [f"o{i}" for i in range(30)] * 2
    path, out, events = (tmp_path / n for n in ("t.csv", "o.csv", "e.csv"))
    pd.DataFrame(columns).to_csv(path, index=False)
    words = ["--id", name] if name is not None else []
    words += ["--out", out, "--events", events]
    run("evolve", path, "--time", time, *words)
    found = pd.read_csv(out)
    assert found[time].tolist() == [1] * 30 + [2] * 30
    if name is not None:
        assert set(found[name]) == set(columns[name])
        assert {"cluster_found", "event_found"} <= set(found)
    assert len(found.columns) == 4
    assert len(pd.read_csv(events).columns) == 6
