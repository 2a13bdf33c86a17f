"""The API: tables of all kinds, how they are read and what describes their clusters."""

import re
from io import BytesIO

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score


@pytest.mark.parametrize("suffix", ["xlsx", "jsonl", "parquet", "feather"])
def test_formats_of_tables(server, suffix):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(np.random.RandomState(0).randn(40, 2), columns=["x", "y"])
    frame["x"] += 9.0 * (frame.index < 20)
    content = BytesIO()
    if suffix == "xlsx":
        pytest.importorskip("openpyxl")
        frame.to_excel(content, index=False)
    elif suffix == "jsonl":
        frame.to_json(content, orient="records", lines=True)
    else:
        getattr(frame, f"to_{suffix}")(content)
    answer = server.upload(f"table.{suffix}", content.getvalue())
    assert answer.status_code == 201, answer.text
    assert answer.json()["rows"] == 40
    work = server.fit(answer.json()["id"], clusters=2)
    labels = server.labels(work["id"])
    assert (labels[:20] == labels[0]).all() and (labels[20:] != labels[0]).all()


def test_the_encoding_of_text_is_found_out_or_given(server):
    text = "stadt;x\n" + "Köln;1,5\nŁódź;9,5\n" * 20
    answer = server.upload("t.csv", text.replace("Łódź", "Ürdingen").encode("cp1252"))
    assert answer.status_code == 201
    assert any("read as cp1252" in note for note in answer.json()["notes"])
    found = server.work(server.fit(answer.json()["id"], clusters=2)["id"])
    assert {one["name"] for one in found["step"]["profiles"][0]["profile"]} >= {
        "stadt Köln",
        "stadt Ürdingen",
    }
    file = {"file": ("t.csv", text.encode("cp1250"))}
    post = server.client.post
    about = post("/api/datasets", files=file, data={"encoding": "cp1250"}).json()
    assert about["encoding"] == "cp1250"
    work = server.fit(about["id"], clusters=2, encoding=about["encoding"])["id"]
    cells = server.client.get(f"/api/works/{work}/rows/1").json()["cells"]
    assert cells["stadt"] == "Łódź"
    code = server.client.get(f"/api/works/{work}/code").json()
    assert "--encoding cp1250" in code["command"]
    path = server.folder / "datasets" / about["id"] / "data.csv"
    names: dict = {}
    exec(code["python"].replace("'t.csv'", repr(str(path))), names)
    np.testing.assert_array_equal(names["labels"], server.labels(work))
    answer = post("/api/datasets", files=file, data={"encoding": "klingon"})
    assert answer.status_code == 422
    assert "no known encoding" in answer.json()["detail"]


def test_clusters_are_described_by_values(server, iris):
    work = server.fit(iris, clusters=3, label="class")
    profiles = server.work(work["id"])["step"]["profiles"]
    ranges = r"[a-z_]+ [\d.]+( to [\d.]+)?, others [\d.]+( to [\d.]+)?"
    for one in profiles:
        assert re.fullmatch(f"{ranges}; {ranges}", one["summary"]), one["summary"]
        assert one["pictures"] == []


def test_pictures_and_keywords(server):
    digits = server.fit(server.builtin("digits"), clusters=10, label="class")["step"]
    assert digits["picture"]["width"] == 8
    assert digits["picture"]["columns"][9] == "pixel_1_1"
    for one in digits["profiles"]:
        assert len(one["pictures"]) == 4
        assert one["pictures"][0].startswith("data:image/png;base64,")
    topics = [["goal", "team", "match"], ["oven", "flour", "sugar"]]
    random = np.random.RandomState(0)
    texts = [
        " ".join([*random.permutation(topics[i % 2] * 3), f"of day number {i}"])
        for i in range(60)
    ]
    table = server.upload("texts.csv", "text\n" + "\n".join(texts)).json()["id"]
    step = server.fit(table, clusters=2)["step"]
    assert step["picture"] is None
    words = [set(one["summary"].split(", ")[:3]) for one in step["profiles"]]
    assert sorted(words, key=min) == sorted(map(set, topics), key=min)


def test_a_text_file_is_read_again_in_another_way(server):
    lines = ["Größe;b", *(f"{i},5;{i}" for i in range(30))]
    content = "\n".join(lines).encode("cp1252")
    data = server.upload("t.csv", content).json()
    found = {"encoding": "cp1252", "delimiter": ";", "decimal": ","}
    assert data["reading"] == found
    path = f"/api/datasets/{data['id']}/reading"
    again = server.client.post(path, json={"encoding": "cp1250", "decimal": ","}).json()
    assert (again["reading"]["encoding"], again["encoding"]) == ("cp1250", "cp1250")
    assert server.client.post(path, json={"decimal": "x"}).status_code == 422
    wrong = server.client.post(path, json={"decimal": "."})
    assert wrong.status_code == 422 and "--" not in wrong.json()["detail"]
    known = server.client.get(f"/api/datasets/{data['id']}").json()
    assert known["reading"]["encoding"] == "cp1250"  # as before the failure


def test_roles_and_weights_of_columns_are_kept_and_used(server):
    random = np.random.RandomState(0)
    lines = ["a,b", *(f"{x:.3f},{y:.3f}" for x, y in random.randn(60, 2))]
    data = server.upload("t.csv", "\n".join(lines)).json()
    assert [c["role"] for c in data["columns"]] == ["number", "number"]
    assert [c["weight"] for c in data["columns"]] == [1.0, 1.0]
    labels = []
    for weights in ({"a": 100}, {"b": 100}):
        work = server.fit(data["id"], clusters=2, method="k-means", weights=weights)
        labels.append(server.labels(work["id"]))
        assert work["settings"]["weights"] == weights
    agree = (labels[0] == labels[1]).mean()
    assert 0.2 < agree < 0.8  # either column decides alone
    work = server.fit(data["id"], clusters=2, weights={"a": 2}, roles={"b": "number"})
    code = server.client.get(f"/api/works/{work['id']}/code").json()
    assert "weights={'a': 2.0}" in code["python"]
    assert "--corrections" in code["command"]  # the command has no such options
    refused = server.start(data["id"], clusters=2, weights={"a": 0})
    assert refused.status_code == 422


def test_ids_are_exported_as_they_are_written(server):
    ids = [f"{i % 9}.{i}0" for i in range(40)]  # as numbers, 1.10 would be 1.1
    lines = [
        "id,x",
        *(f"{name},{i % 2 * 9 + i / 99:.3f}" for i, name in enumerate(ids)),
    ]
    data = server.upload("t.csv", "\n".join(lines)).json()["id"]
    work = server.fit(data, clusters=2, id_column="id", features=["x"])["id"]
    text = server.client.get(f"/api/works/{work}/download/labels.csv").text
    written = [line.split(",")[0].strip('"') for line in text.splitlines()[1:]]
    assert written == ids


@pytest.mark.filterwarnings("ignore:The 'future.infer_string' option")
def test_what_describes_cells_can_be_chosen_for_classes_and_names(server, tmp_path):
    anndata = pytest.importorskip("anndata", reason="needs anndata")
    pd = pytest.importorskip("pandas")
    kind = np.repeat(["T cell", "B cell"], 30).astype(object)
    index = pd.Index([f"cell{i}" for i in range(60)], dtype=object)
    about = pd.DataFrame({"kind": pd.Categorical(kind)}, index=index)
    X = np.random.RandomState(0).randn(60, 3) + 9.0 * (kind == "T cell")[:, None]
    path = tmp_path / "cells.h5ad"
    anndata.AnnData(X, obs=about).write_h5ad(path)
    data = server.upload("cells.h5ad", path.read_bytes()).json()
    columns = {one["name"]: one for one in data["columns"]}
    assert [name for name, one in columns.items() if one["used"]] == ["0", "1", "2"]
    assert columns["kind"]["distinct"] == 2 and columns["cell"]["distinct"] == 60
    work = server.fit(data["id"], clusters=2, label="kind", id_column="cell")
    labels = server.labels(work["id"])
    assert (labels[:30] == labels[0]).all() and (labels[30:] == 1 - labels[0]).all()
    assert work["step"]["agreement"] == 1.0
    text = server.client.get(f"/api/works/{work['id']}/download/labels.csv").text
    assert text.splitlines()[1].startswith("cell0,")
    cells = server.client.get(f"/api/works/{work['id']}/rows/0").json()["cells"]
    assert cells["kind"] == "T cell"


def test_known_classes_are_compared_with_the_clusters_of_each_step(server):
    """They are not used by the fit, and without them nothing is told."""
    random = np.random.RandomState(0)
    x = random.randn(80) + 9.0 * (np.arange(80) >= 40)
    kinds = np.where(
        np.arange(80) % 10 == 0, "b", np.where(np.arange(80) < 40, "a", "c")
    )
    lines = [
        "x,y,kind",
        *(f"{v:.4f},{v * v:.4f},{k}" for v, k in zip(x, kinds, strict=True)),
    ]
    data = server.upload("t.csv", "\n".join(lines)).json()["id"]
    columns = {"features": ["x", "y"], "clusters": 2}
    work = server.fit(data, label="kind", **columns)
    found = adjusted_rand_score(kinds, server.labels(work["id"]))
    assert 0.5 < found < 1.0
    assert work["step"]["agreement"] == pytest.approx(found)
    path = f"/api/works/{work['id']}/corrections"
    action = {"kind": "assign", "rows": [0], "cluster": None}
    server.wait(server.client.post(path, json=action))
    found = adjusted_rand_score(kinds, server.labels(work["id"]))
    assert server.work(work["id"])["step"]["agreement"] == pytest.approx(found)
    assert server.fit(data, **columns)["step"]["agreement"] is None
