import json
import os
import re
import subprocess
import sys
from functools import partial
from html import unescape
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.datasets import load_iris, load_wine, make_blobs

from maxmargin import MaxMarginClustering
from maxmargin.cli.compare import make_methods
from maxmargin.cli.console import print_table
from maxmargin.cli.main import main
from maxmargin.selection.stability import cluster_stability
from maxmargin.table_model import load_table_model


def run(*arguments, code=0, **options):
    result = CliRunner().invoke(main, [str(a) for a in arguments], **options)
    assert result.exit_code == code, result.output
    if code:
        assert result.stderr.count("\n") == 1
        assert result.stderr.startswith("maxmargin: error: ")
    return result


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


def test_standard_input_and_auto():
    X, _ = make_blobs(150, centers=3, center_box=(-20, 20), random_state=1)
    table = pd.DataFrame(X, columns=["a", "b"]).to_csv(index=False)
    result = run("cluster", "-", "--json", input=table.encode())
    assert json.loads(result.stdout)["n_clusters"] == 3


def test_classify(iris, tmp_path):
    frame = pd.read_csv(iris)
    frame.loc[frame.index % 10 != 0, "species"] = None
    few, out, model = tmp_path / "few.csv", tmp_path / "o.csv", tmp_path / "m.npz"
    frame.to_csv(few, index=False)
    result = run("classify", few, "--label", "species", "--id", "plant",
                 "--out", out, "--json")  # fmt: skip
    summary = json.loads(result.stdout)
    assert summary["method"] == "SemiSupervisedMaxMargin"
    assert summary["labelled"] == 15
    truth = pd.read_csv(iris)["species"]
    assert (pd.read_csv(out)["species"] == truth).mean() > 0.85
    result = run("classify", iris, "--label", "species", "--drop", "plant",
                 "--model", model)  # fmt: skip
    assert "accuracy on held-out rows: " in result.stdout
    result = run("predict", model, iris, "--out", "-")
    lines = result.stdout.splitlines()
    assert lines[0] == "row,species"
    named = [line.split(",")[1] for line in lines[1:]]
    assert np.mean(np.array(named) == truth.to_numpy()) > 0.9


def test_compare(iris, tmp_path, monkeypatch):
    def few(n_clusters):
        names = ("max margin", "cutting planes", "k-means", "Ward", "HDBSCAN")
        return {name: make_methods(n_clusters)[name] for name in names}

    monkeypatch.setattr("maxmargin.cli.compare.make_methods", few)
    picture = tmp_path / "maps.png"
    result = run("compare", iris, "-k", 3, "--label", "species", "--rows", 60,
                 "--picture", picture)  # fmt: skip
    for name in ("max margin", "k-means", "Ward", "silhouette", "stability", "ARI"):
        assert name in result.stdout
    assert "60 of 150 rows" in result.stderr
    assert picture.read_bytes().startswith(b"\x89PNG")


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


def test_every_method_of_compare_runs():
    X = load_iris().data[::5]
    for name, method in make_methods(2).items():
        labels = method.fit_predict(X)
        assert len(set(labels[labels >= 0])) == 2, name


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


def test_ids_are_the_text_of_the_file(tmp_path, random):
    path, model = tmp_path / "codes.csv", tmp_path / "model.npz"
    ids = [f"{i:05d}" for i in range(29)] + ["123456789012345678901234"]
    path.write_text("id,x\n" + "".join(f"{i},{random.randn()}\n" for i in ids))
    found = run("cluster", path, "-k", 2, "--id", "id", "--model", model, "--out", "-")
    again = run("predict", model, path, "--id", "id", "--out", "-")
    for result in (found, again):
        lines = result.stdout.splitlines()[1:]
        assert [line.split(",")[0] for line in lines] == ids


def test_options_of_reading(tmp_path):
    path, model = tmp_path / "comma.csv", tmp_path / "model.npz"
    rows = "".join(f"{i % 9 + 1},234:{i % 2}:gr\xf6\xdfe{i % 2}\n" for i in range(30))
    path.write_bytes(("% a: b: c\na:b:c\n" + rows).encode("cp1252"))
    options = ["--delimiter", ":", "--decimal", ",", "--encoding", "cp1252"]
    options += ["--comment", "%", "--text", "b"]
    result = run("cluster", path, "-k", 2, *options, "--model", model, "--json")
    assert json.loads(result.stdout)["features"] == [
        "a",
        "b=0",
        "b=1",
        *(["c=gr\xf6\xdfe0", "c=gr\xf6\xdfe1"]),
    ]
    run("predict", model, path, *options)
    assert "1.234 to 9.234" in run("info", path, *options).stdout
    message = run("cluster", path, *options[:2], *options[4:], code=1).stderr
    assert "line 3: '1,234' in column 'a' may be 1234 or 1.234" in message


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        ("a,b\n", "no rows"),
        ("a,b\n1,2\n", "one row"),
        ("a,b,a\n1,2,3\n", "two columns named 'a'"),
        ("a,b\n1,2\n3,\n5,6\n", "--missing median"),
        ("a,b\n1,2\n3,4\n1,2,3\n", "line 4: it has 3 cells"),
        ("\x00\x01\x02", "not a table"),
        ("a,b\n1,2\n3,4\n", "n_clusters=5"),
    ],
)
def test_bad_tables(tmp_path, content, message):
    path = tmp_path / "bad.csv"
    path.write_bytes(content.encode("latin-1"))
    result = run("cluster", path, "-k", 5, "--out", tmp_path / "o.csv", code=1)
    assert message in result.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["bad.csv"]


def test_bad_models(iris, tmp_path):
    model = tmp_path / "m.npz"
    np.savez(model, X=np.eye(3))
    assert "not a model file" in run("predict", model, iris, code=1).stderr
    run("cluster", iris, "-k", 2, "--features", "sl,sw", "--model", model, "--force")
    other = tmp_path / "other.csv"
    other.write_text("sl,height\n1,2\n")
    assert "no column 'sw'" in run("predict", model, other, code=1).stderr
    other.write_text("sl,sw\n1,\n")
    assert "missing" in run("predict", model, other, code=1).stderr
    other.write_text("sl,sw\n1,tall\n")
    assert "must hold numbers" in run("predict", model, other, code=1).stderr


def test_predict_replaces_missing_values_by_medians_of_the_model(tmp_path):
    table, new, full, model = (
        tmp_path / n for n in ("t.csv", "new.csv", "full.csv", "m.npz")
    )
    rows = [(1, 90, "a"), (2, 91, "b"), (3, 92, "b"), (30, 10, "b"), (31, 12, "c")]
    lines = [",".join(map(str, row)) for row in rows]
    table.write_text("\n".join(["x,y,z", *lines]))
    run("cluster", table, "-k", 2, "--scale", "on", "--model", model)
    new.write_text("x,y,z\n,12,c\n2,,a\n2,90,\n3,inf,b\n")
    full.write_text("x,y,z\n3,12,c\n2,90,a\n2,90,b\n3,90,b\n")
    assert "--missing median" in run("predict", model, new, code=1).stderr
    shown = run("predict", model, new, "--missing", "median", "--out", "-")
    assert shown.stdout == run("predict", model, full, "--out", "-").stdout
    result = run("predict", model, new, "--missing", "drop", code=1)
    assert "Every row has a missing value" in result.stderr
    saved = load_table_model(str(model)).preprocessor
    assert [one.fill for one in saved.features] == [pytest.approx(3), 90, "b"]


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


def test_one_feature_and_formulas(tmp_path):
    table, out = tmp_path / "t.csv", tmp_path / "o.csv"
    table.write_text("who,x\n=1+1,1\n-5,2\nb,9\n")
    result = run("cluster", table, "-k", 1, "--id", "who", "--out", out)
    assert result.stdout.startswith("3 rows, 1 feature, 1 cluster, ")
    assert "text in 'who' begins with a sign of a formula" in result.stderr
    assert out.read_text() == "who,cluster\n=1+1,0\n-5,0\nb,0\n"
    table.write_text("who,x\n-5,1\n+1.5e3,2\n-,9\n".replace("-,", "b,"))
    result = run("cluster", table, "-k", 2, "--id", "who", "--out", out, "--force")
    assert "formula" not in result.stderr


@pytest.mark.parametrize(
    ("labels", "continuous"),
    [
        (np.random.RandomState(0).randn(60), True),
        (np.arange(60) * 7, True),
        (np.arange(60) % 10, False),
        (np.arange(60) % 3 + 0.5, False),
        ([f"c{i % 25}" for i in range(60)], False),
    ],
)
def test_classify_needs_classes(tmp_path, labels, continuous):
    table = tmp_path / "t.csv"
    x = np.random.RandomState(1).randn(60)
    pd.DataFrame({"x": x, "y": labels}).to_csv(table, index=False)
    result = run("classify", table, "--label", "y", code=1 if continuous else 0)
    assert ("is continuous" in result.stderr) == continuous


def test_a_pipe_does_not_wrap(capsys):
    print_table(["", "value"], [["columns", "name, " * 5000]], numbers=False)
    assert len(capsys.readouterr().out.splitlines()) == 3


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


def test_text_gaps_and_ids(tmp_path):
    random = np.random.RandomState(0)
    group = random.randint(3, size=500)
    frame = pd.DataFrame(
        {
            "customer": 10**15 + np.arange(500),
            "spent": np.array([900, 20, 400])[group] + random.rand(500),
            "age": np.where(random.rand(500) < 0.1, np.nan, random.randn(500)),
            "town": np.array(["Ulm", "Bonn", "Kiel"])[group],
        }
    )
    path, out = tmp_path / "c.csv", tmp_path / "o.csv"
    frame.to_csv(path, index=False)
    result = run("cluster", path, "-k", 3, "--missing", "median", "--id", "customer",
                 "--out", out)  # fmt: skip
    assert "text column 'town' counts by its expectation" in result.stderr
    found = pd.read_csv(out)
    assert found["customer"].tolist() == frame["customer"].tolist()  # to the last digit
    assert pd.crosstab(found["cluster"], group).gt(0).sum().sum() == 3
    result = run("cluster", path, "-k", 3, "--missing", "drop", "--out", out, "--force")
    assert "rows with missing values are left out" in result.stderr
    assert (
        pd.read_csv(out)["row"].tolist()
        == np.flatnonzero(frame["age"].notna()).tolist()
    )


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write")
def test_a_read_only_folder(iris, tmp_path):
    tmp_path.chmod(0o500)
    result = run("cluster", iris, "--out", tmp_path / "o.csv", code=2)
    assert "is not writable" in result.stderr
