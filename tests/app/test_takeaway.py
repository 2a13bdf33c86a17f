"""What is taken away together agrees: labels, names, model and report."""

import csv
import io
import json
import subprocess
import sys

import numpy as np
import pytest
from tests.cli.command import run

HEADER = ["cluster", "name", "margin", "unsure"]


@pytest.fixture(scope="module")
def table():
    """Three separate groups, with ids that no other row has."""
    random = np.random.RandomState(0)
    X = random.randn(90, 2) + np.repeat([[0, 0], [9, 0], [0, 9]], 30, axis=0)
    return [(f"key-{i}", f"{x:.4f}", f"{y:.4f}") for i, (x, y) in enumerate(X)]


def write_table(table, id_name):
    file = io.StringIO()
    csv.writer(file).writerows([(id_name, "x", "y"), *table])
    return file.getvalue()


def start(server, table, id_name="key", clusters=3):
    dataset = server.upload("table.csv", write_table(table, id_name)).json()["id"]
    return server.fit(dataset, clusters=clusters, id_column=id_name)["id"]


def download(server, work, name):
    answer = server.client.get(f"/api/works/{work}/download/{name}")
    assert answer.status_code == 200, answer.text
    return answer.content


def read_labels(server, work):
    text = download(server, work, "labels.csv").decode()
    header, *rows = csv.reader(io.StringIO(text))
    return dict(zip(header, zip(*rows, strict=True), strict=True))


def predict(tmp_path, model, table, *words):
    """Return the clusters that the command finds, and what it says."""
    (tmp_path / "model.npz").write_bytes(model)
    (tmp_path / "table.csv").write_text(table)
    out = tmp_path / "out.csv"
    files = [tmp_path / "model.npz", tmp_path / "table.csv"]
    done = run("predict", *files, "--out", out, "--force", *words)
    rows = csv.DictReader(io.StringIO(out.read_text()))
    return [row["cluster"] for row in rows], done.stderr


@pytest.mark.parametrize("name", ["key", "name", "margin", "unsure", "cluster"])
def test_ids_are_kept_whatever_their_column_is_called(server, table, name):
    columns = read_labels(server, start(server, table, name))
    assert list(columns) == [name, *(f"{h}_found" if h == name else h for h in HEADER)]
    assert list(columns[name]) == [row[0] for row in table]


def test_names_of_clusters_are_unique_and_no_formulas(server, table, tmp_path):
    work = start(server, table)
    assert len(set(read_labels(server, work)["name"])) == 3
    server.correct(work, kind="rename", cluster=0, name="=1+1")
    server.correct(work, kind="rename", cluster=1, name="same")
    server.correct(work, kind="rename", cluster=2, name="same")
    columns = read_labels(server, work)
    assert set(columns["name"]) == {"'=1+1", "same (1)", "same (2)"}
    model = download(server, work, "model.npz")
    found, _ = predict(tmp_path, model, write_table(table, "key"))
    assert found == [name.removeprefix("'") for name in columns["name"]]
    report = download(server, work, "report.html").decode()
    assert "same (1)" in report and "same (2)" in report


def test_a_number_as_a_name_is_not_taken_for_another_cluster(server, table):
    work = start(server, table)
    server.correct(work, kind="rename", cluster=0, name="1")
    columns = read_labels(server, work)
    assert set(columns["name"]) == {"1 (0)", "1 (1)", "2"}


def test_names_after_corrections_are_in_the_model(server, table, tmp_path):
    work = start(server, table, clusters=2)
    server.correct(work, kind="split", cluster=0)
    server.correct(work, kind="rename", cluster=1, name="<b>bold</b>")
    names = read_labels(server, work)["name"]
    model = download(server, work, "model.npz")
    found, _ = predict(tmp_path, model, write_table(table, "key"))
    assert set(found) == set(names) and "<b>bold</b>" in names
    report = download(server, work, "report.html").decode()
    assert "&lt;b&gt;bold&lt;/b&gt;" in report and "<b>bold</b>" not in report


def test_the_command_writes_the_rows_and_ids_of_the_page(server, table, tmp_path):
    gaps = [(key, "" if i in (3, 40) else x, y) for i, (key, x, y) in enumerate(table)]
    text = write_table(gaps, "key")
    dataset = server.upload("table.csv", text).json()["id"]
    for settings in ({}, {"id_column": "key"}):
        chosen = {"clusters": 3, "missing": "drop", "features": ["x", "y"], **settings}
        work = server.fit(dataset, **chosen)["id"]
        (tmp_path / "table.csv").write_text(text)
        corrections = download(server, work, "corrections.json").decode()
        assert json.loads(corrections)["settings"]["missing"] == "drop"
        (tmp_path / "c.json").write_text(corrections)
        words = ["app", "table.csv", "--corrections", "c.json", "--out", "out.csv"]
        subprocess.run(
            [sys.executable, "-m", "maxmargin", *words, "--force"],
            cwd=tmp_path,
            check=True,
            capture_output=True,
        )
        expected = download(server, work, "labels.csv").decode()
        assert (tmp_path / "out.csv").read_text() == expected


@pytest.fixture(scope="module")
def overlapping():
    random = np.random.RandomState(0)
    X = random.randn(600, 2) + np.repeat([[0, 0], [2, 0], [0, 2]], 200, axis=0)
    return [(f"key-{i}", f"{x:.4f}", f"{y:.4f}") for i, (x, y) in enumerate(X)]


@pytest.mark.parametrize(
    "action",
    [
        {"kind": "split", "cluster": 0},
        {"kind": "assign", "rows": list(range(20)), "cluster": 1},
        {"kind": "merge", "clusters": [0, 1]},
        {"kind": "recluster", "rows": list(range(50, 120)), "into": 2},
    ],
    ids=lambda action: action["kind"],
)
@pytest.mark.parametrize("method", ["maxmargin", "k-means"])
def test_model_and_labels_agree(server, tmp_path, action, method):
    dataset = server.builtin("wine")
    text = (server.folder / "datasets" / dataset / "data.csv").read_text()
    chosen = {"clusters": 3, "label": "class", "method": method}
    work = server.fit(dataset, **chosen)["id"]
    server.correct(work, **action)
    names = read_labels(server, work)["name"]
    found, said = predict(tmp_path, download(server, work, "model.npz"), text)
    different = sum(a != b for a, b in zip(found, names, strict=True))
    assert different <= 0.01 * len(names)
    assert (f"gives {different} of the 178 rows" in said) == (different > 0)


def test_a_model_says_how_many_labels_it_does_not_give(tmp_path, overlapping):
    (tmp_path / "table.csv").write_text(write_table(overlapping, "key"))
    words = ["-k", "3", "--balance", "equal", "--id", "key"]
    words += ["--out", tmp_path / "labels.csv", "--model", tmp_path / "model.npz"]
    run("cluster", tmp_path / "table.csv", *words)
    rows = csv.DictReader(io.StringIO((tmp_path / "labels.csv").read_text()))
    labels = [row["cluster"] for row in rows]
    model = (tmp_path / "model.npz").read_bytes()
    found, said = predict(tmp_path, model, write_table(overlapping, "key"))
    different = sum(a != b for a, b in zip(found, labels, strict=True))
    assert different > 0
    assert f"the model gives {different} of the 600 rows of its table another" in said


def test_one_cluster_has_no_margin(server, table):
    work = start(server, table, clusters=2)
    columns = read_labels(server, work)
    assert all(0 <= float(value) <= 1 for value in columns["margin"])
    shown = server.correct(work, kind="merge", clusters=[0, 1])
    assert shown["step"]["margin"] is None
    assert shown["steps"][-1]["margin"] is None
    assert [one["margin"] for one in shown["step"]["profiles"]] == [None]
    assert set(read_labels(server, work)["margin"]) == {"nan"}
