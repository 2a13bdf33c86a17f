"""The API: fits, corrections, undo, results and downloads."""

import io
import itertools
import json
import shutil
import subprocess
import sys
import time

import numpy as np
import pytest
from pydantic import ValidationError
from sklearn.datasets import load_iris
from sklearn.metrics import adjusted_rand_score

from maxmargin import MaxMarginClustering, load_model
from maxmargin.app.schemas import Settings, TimeSettings
from maxmargin.similarities import SIMILARITIES


@pytest.fixture(scope="module")
def work(server, iris):
    return server.fit(iris, clusters=3, label="class")


def test_a_fit_gives_the_labels_of_the_estimator(server, work):
    labels = server.labels(work["id"])
    expected = MaxMarginClustering(3, scale=False, random_state=0)
    expected = expected.fit(load_iris().data).labels_
    assert adjusted_rand_score(labels, expected) == 1
    sizes = [facts["size"] for facts in work["step"]["profiles"]]
    assert sizes == np.bincount(labels).tolist()


def test_maps_have_a_place_for_each_row(server, work):
    for query in ("graph", "pca", "columns&x=sepal_length&y=petal_width"):
        answer = server.client.get(f"/api/works/{work['id']}/map?layout={query}")
        positions = np.frombuffer(answer.content, "<f4").reshape(-1, 2)
        assert positions.shape == (150, 2)
        assert np.abs(positions).max() <= 1.001


def test_rows_are_found_and_shown(server, work):
    answer = server.client.get(f"/api/works/{work['id']}/rows/0").json()
    assert answer["cells"]["class"] == "setosa"
    found = server.client.get(f"/api/works/{work['id']}/search?text=virginica").json()
    assert found == list(range(100, 150))
    missing = server.client.get(f"/api/works/{work['id']}/rows/150")
    assert missing.status_code == 422


def test_corrections_are_kept_by_later_fits(server, iris):
    work = server.fit(iris, clusters=3, label="class")["id"]
    labels = server.labels(work)
    first, other = np.flatnonzero(labels == 0)[0], np.flatnonzero(labels == 1)[0]
    server.correct(work, kind="assign", rows=[int(first)], cluster=1)
    rest = np.flatnonzero(labels == 2)[:2].tolist()
    server.correct(work, kind="apart", rows=rest)
    server.correct(work, kind="together", rows=[rest[0], int(other)])
    found = server.labels(work)
    assert found[first] == 1
    assert found[rest[0]] == found[other]
    assert found[rest[0]] != found[rest[1]]
    shown = server.work(work)
    assert shown["position"] == 3
    assert shown["step"]["constraints"]["apart"] == [rest]


def test_steps_are_undone_and_redone(server, iris):
    number = server.fit(iris, clusters=3, label="class")["id"]
    start = server.labels(number)
    server.correct(number, kind="merge", clusters=[0, 1])
    merged = server.labels(number)
    assert len(np.unique(merged)) == 2
    server.correct(number, kind="split", cluster=2)
    assert len(np.unique(server.labels(number))) == 3
    server.correct(number, kind="rename", cluster=0, name="<b>big</b>")
    post = server.client.post
    post(f"/api/works/{number}/undo")
    post(f"/api/works/{number}/undo")
    np.testing.assert_array_equal(server.labels(number), merged)
    post(f"/api/works/{number}/undo")
    np.testing.assert_array_equal(server.labels(number), start)
    assert post(f"/api/works/{number}/undo").status_code == 409
    again = post(f"/api/works/{number}/redo").json()
    assert again["step"]["text"].startswith("merged")
    np.testing.assert_array_equal(server.labels(number), merged)
    server.correct(number, kind="unsure", rows=[5])  # replaces what was undone
    assert post(f"/api/works/{number}/redo").status_code == 409


def test_selected_rows_are_clustered_anew(server, iris):
    number = server.fit(iris, clusters=2, label="class")["id"]
    rows = list(range(50, 150))
    step = server.correct(number, kind="recluster", rows=rows, into=2)["step"]
    labels = server.labels(number)
    assert len(np.unique(labels[rows])) == 2
    assert not set(labels[:50].tolist()) & set(labels[rows].tolist())
    assert len(step["clusters"]) == len(np.unique(labels))


def test_pairs_are_proposed_and_not_repeated(server, iris):
    number = server.fit(iris, clusters=3, label="class")["id"]
    first = server.client.get(f"/api/works/{number}/pairs").json()[0]
    rows = [first["first"], first["second"]]
    truth = load_iris().target
    kind = "together" if truth[rows[0]] == truth[rows[1]] else "apart"
    server.correct(number, kind=kind, rows=rows)
    later = server.client.get(f"/api/works/{number}/pairs").json()
    assert rows not in [[pair["first"], pair["second"]] for pair in later]


def test_contradictions_are_refused_with_the_rows(server, work):
    number = work["id"]
    answer = server.client.post(
        f"/api/works/{number}/corrections", json={"kind": "together", "rows": [3, 3]}
    )
    job = server.wait(answer)
    assert job["state"] == "failed"
    assert "two different rows" in job["reason"]
    answer = server.client.post(
        f"/api/works/{number}/corrections", json={"kind": "merge", "clusters": [0, 77]}
    )
    assert "no cluster 77" in server.wait(answer)["reason"]
    assert server.work(number)["position"] == 0


def test_downloads_give_the_same_labels(server, iris, tmp_path):
    number = server.fit(iris, clusters=3, label="class")["id"]
    server.correct(number, kind="split", cluster=0)
    server.correct(number, kind="assign", rows=[0, 1], cluster=1)
    labels = server.labels(number)
    base = f"/api/works/{number}/download"
    table = server.client.get(f"{base}/labels.csv").text.splitlines()
    assert table[0] == "row,cluster,name,margin,unsure" or "cluster" in table[0]
    assert len(table) == 151
    model = server.client.get(f"{base}/model.npz").content
    assert load_model(io.BytesIO(model)).predict(load_iris().data).shape == (150,)
    report = server.client.get(f"{base}/report.html").text
    assert "<svg" in report
    # The command with the corrections gives the same labels.
    corrections = tmp_path / "corrections.json"
    corrections.write_text(server.client.get(f"{base}/corrections.json").text)
    folder = server.folder / "datasets" / iris
    out = tmp_path / "out.csv"
    words = ["app", str(folder / "data.csv"), "--corrections", str(corrections)]
    command = [sys.executable, "-m", "maxmargin", *words, "--out", str(out)]
    subprocess.run(command, check=True, capture_output=True, timeout=100)
    found = np.genfromtxt(out, delimiter=",", skip_header=1, usecols=1)
    np.testing.assert_array_equal(found, labels)
    # So does loading them on the page.
    content = json.loads(corrections.read_text())
    again = server.client.post(f"/api/datasets/{iris}/replay", json=content)
    job = server.wait(again)
    assert job["state"] == "done", job
    np.testing.assert_array_equal(server.labels(job["work"]), labels)


def test_the_code_gives_the_same_labels(server, iris, work):
    code = server.client.get(f"/api/works/{work['id']}/code").json()
    path = server.folder / "datasets" / iris / "data.csv"
    names: dict = {}
    exec(code["python"].replace("'iris.csv'", repr(str(path))), names)
    np.testing.assert_array_equal(names["labels"], server.labels(work["id"]))
    assert code["command"].startswith("maxmargin cluster iris.csv -k 3")


def test_works_are_compared(server, iris, work):
    other = server.fit(iris, clusters=3, label="class", method="k-means")
    query = f"/api/compare?first={work['id']}&second={other['id']}"
    found = server.client.get(query).json()
    one, two = server.labels(work["id"]), server.labels(other["id"])
    expected = adjusted_rand_score(one, two)
    assert found["adjusted_rand_index"] == pytest.approx(expected, abs=1e-4)
    assert len(found["different_rows"]) == found["different"]
    # The best of all ways to match the clusters, by brute force.
    agree = max(
        (np.array(order)[two] == one).sum()
        for order in itertools.permutations(range(3))
    )
    assert found["different"] == 150 - agree > 0
    partners = dict(found["matched"])
    rows = [row for flow in found["flows"] for row in flow["some"]]
    assert sorted(rows) == found["different_rows"]
    assert sum(flow["rows"] for flow in found["flows"]) == found["different"]
    for flow in found["flows"]:
        assert set(one[flow["some"]]) == {flow["from"]}
        assert set(two[flow["some"]]) == {flow["to"]}
        assert partners[flow["to"]] != flow["from"]


def test_clusters_without_a_partner(server, iris, work):
    other = server.fit(iris, clusters=5, label="class", method="k-means")
    query = f"/api/compare?first={work['id']}&second={other['id']}"
    partners = [p for _, p in server.client.get(query).json()["matched"]]
    assert sorted(partners, key=str) == [0, 1, 2, None, None]


def test_a_table_with_times(server):
    dataset = server.builtin("drift")
    settings = {"time": "time", "id_column": "object", "clusters": 2}
    found = server.fit(dataset, kind="time", **settings)
    snapshots = found["step"]["timeline"]["snapshots"]
    assert len(snapshots) == 9
    assert all(sum(one["sizes"]) == 200 for one in snapshots)
    flows = np.array(found["step"]["timeline"]["flows"])
    assert flows.sum(axis=(1, 2)).tolist() == [200] * 8
    content = server.client.get(f"/api/works/{found['id']}/times").content
    times = np.frombuffer(content, "<i4")[:1800]
    assert np.bincount(times).tolist() == [200] * 9


def test_an_image_with_strokes(server):
    dataset = server.builtin("flower")
    work = server.fit(dataset, kind="image")
    strokes = [
        {"segment": 1, "width": 9, "points": [[150, 100], [170, 120]]},
        {"segment": 2, "width": 9, "points": [[10, 10], [20, 200]]},
    ]
    path = f"/api/works/{work['id']}"
    job = server.wait(server.client.post(f"{path}/strokes", json={"strokes": strokes}))
    assert job["state"] == "done", job
    from PIL import Image

    picture = server.client.get(f"{path}/image/foreground").content
    alpha = np.asarray(Image.open(io.BytesIO(picture)))[:, :, 3]
    assert alpha[110, 160] == 255  # on the first stroke
    assert alpha[10, 10] == 0  # on the second one


def test_the_work_is_offered_again_after_a_restart(server, iris, work, tmp_path):
    from maxmargin.app.store import Store

    copy = shutil.copytree(server.folder, tmp_path / "copy")
    again = Store(copy)
    assert work["id"] in [one["id"] for one in again.list("works")]
    assert not list(copy.rglob(".maxmargin-*"))


def test_only_files_of_replaced_steps_are_removed(server, iris):
    number = server.fit(iris, clusters=3, label="class")["id"]
    folder = server.folder / "works" / number
    mine = [folder / "2024.csv", folder / "0007.npz"]
    for path in mine:
        path.write_text("of the user")
    server.correct(number, kind="split", cluster=0)
    assert (folder / "0001.npz").exists()
    server.client.post(f"/api/works/{number}/undo")
    server.correct(number, kind="split", cluster=1)
    assert not (folder / "0001.npz").exists()
    assert (folder / "0002.npz").exists()
    assert all(path.read_text() == "of the user" for path in mine)


def test_events_end_with_the_job(server, iris):
    job = server.start(iris, clusters=3, label="class").json()
    events = list(server.events(job["id"]))
    assert events[-1]["state"] == "done"
    assert events[-1]["objective"] is not None
    shares = [event["share"] for event in events]
    assert shares == sorted(shares)


def test_stability(server, work):
    job = server.wait(server.client.post(f"/api/works/{work['id']}/stability"))
    assert job["state"] == "done", job
    values = server.work(work["id"])["step"]["stability"]
    assert len(values) == 3
    assert all(0 <= value <= 1 for value in values)


def test_the_app_answers_during_a_fit(server):
    rows = "\n".join(f"{i % 97},{i % 89},{i % 83}" for i in range(20_000))
    dataset = server.upload("large.csv", "a,b,c\n" + rows).json()["id"]
    job = server.start(dataset, clusters="auto").json()
    slowest = 0.0
    for _ in range(20):
        begin = time.monotonic()
        assert server.client.get("/api/about").status_code == 200
        slowest = max(slowest, time.monotonic() - begin)
    server.client.delete(f"/api/jobs/{job['id']}")
    assert slowest < 5
    assert server.client.get(f"/api/jobs/{job['id']}").json()["state"] == "cancelled"


def test_the_page_is_told_the_similarities(server):
    found = server.client.get("/api/about").json()["similarities"]
    assert found == {name: s.label for name, s in SIMILARITIES.items() if s.label}
    assert {"auto", "neighbors", "rbf", "linear"} <= set(found)


def test_a_work_of_another_release_is_named(server, iris):
    number = server.fit(iris, clusters=2, label="class")["id"]
    path = server.folder / "works" / number / "about.json"
    about = json.loads(path.read_text())
    path.write_text(json.dumps({**about, "steps": [{"old": 1}]}))
    answer = server.client.get(f"/api/works/{number}")
    assert answer.status_code == 422
    assert "another release" in answer.json()["detail"]


def test_all_rows_of_the_largest_table_can_be_sent(server, work):
    rows = list(range(500_000))
    answer = server.client.post(
        f"/api/works/{work['id']}/corrections", json={"kind": "unsure", "rows": rows}
    )
    assert "Row 499999 is not in the table" in server.wait(answer)["reason"]


@pytest.mark.parametrize("given", ["abc", 0, 2.5, True, None])
def test_a_number_of_clusters_that_is_none(given):
    with pytest.raises(ValidationError, match="give a whole number from 1 to"):
        Settings(clusters=given)


@pytest.mark.parametrize("given", ["auto", "abc", 1, 2.5])
def test_snapshots_need_a_number_of_clusters(given):
    with pytest.raises(ValidationError, match="give a whole number from 2 to"):
        TimeSettings(time="month", clusters=given)
