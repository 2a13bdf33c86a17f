"""Why one of two labellings may be better: the figures that both are asked for."""

import numpy as np
import pytest
from sklearn.metrics import silhouette_score

from maxmargin.app.comparison import Shared, compare_shared
from maxmargin.app.reasons import N_NEAREST, reasons_of
from maxmargin.tables.samples import TableOptions, TableSamples, read_samples


@pytest.fixture
def parted(tmp_path):
    """Return two groups of 60 rows, and 40 rows of the second one."""
    random = np.random.RandomState(0)
    right = np.arange(120) >= 60
    X = np.column_stack([random.randn(120) + 8 * right, random.randn(120)])
    path = tmp_path / "t.csv"
    lines = [f"{x:.4f},{y:.4f}" for x, y in X]
    path.write_text("width,height\n" + "\n".join(lines))
    wrong = right & (np.arange(120) < 100)
    return read_samples(str(path), TableOptions(scale="off")), right.astype(int), wrong


def shared_of(here, there):
    rows = np.arange(len(here))
    return Shared.of(here, there, rows, rows)


def test_links_and_silhouettes_are_those_of_a_naive_version(parted):
    samples, here, wrong = parted
    there = wrong.astype(int)
    found = reasons_of(samples, shared_of(here, there))
    far = np.square(samples.X[:, None] - samples.X).sum(axis=2)
    np.fill_diagonal(far, np.inf)
    near = np.argsort(far, axis=1)[:, :N_NEAREST]
    for labels, links, silhouette in zip(
        (here, there), found["links"], found["silhouette"], strict=True
    ):
        expected = (labels[near] != labels[:, None]).mean()
        assert links == pytest.approx(expected, abs=1e-3)
        expected = silhouette_score(samples.X, labels)
        assert silhouette == pytest.approx(expected, abs=1e-3)
    assert found["links"][0] == 0 < found["links"][1]
    assert found["clusters"] == [2, 2]


def test_rows_that_differ_are_described_beside_both_clusters(parted):
    samples, here, wrong = parted
    there = here.copy()
    there[wrong] = 0
    [flow] = reasons_of(samples, shared_of(here, there))["flows"]
    assert (flow["from"], flow["to"], flow["rows"]) == (1, 0, 40)
    assert flow["nearest"][0] == 1.0 > flow["nearest"][1]
    width = flow["columns"][0]
    assert width["name"] == "width"
    first, second, asked = (
        float(width[side].split(" to ")[0]) for side in ("first", "second", "asked")
    )
    assert abs(asked - first) < 1 < abs(asked - second)
    assert flow["pictures"] == [] == flow["texts"]


def test_the_same_reasons_for_names_in_another_order(parted):
    samples, here, wrong = parted
    there = 7 - 3 * wrong.astype(int)
    found = compare_shared(shared_of(here, there))
    assert found["matched"] == [[4, 1], [7, 0]]
    assert found["different"] == (here != wrong).sum() == 20
    reasons = reasons_of(samples, shared_of(here, there))
    other = reasons_of(samples, shared_of(here, wrong.astype(int)))
    assert reasons["links"] == other["links"]
    assert [flow["to"] for flow in reasons["flows"]] == [7]


def test_works_with_other_rows_are_compared_on_those_of_both():
    first, second = np.array([0, 0, 1]), np.array([3, 5, 5, 5])
    shared = Shared.of(first, second, np.array([1, 4, 6]), np.array([0, 1, 4, 6]))
    assert shared.rows.tolist() == [0, 1, 2]
    assert shared.there.tolist() == [5, 5, 5]
    assert shared.differ.tolist() == [False, False, True]


def test_two_rows_and_one_cluster_have_reasons():
    samples = TableSamples("", np.array([[0.0], [1.0]]), None, "row", np.arange(2))
    found = reasons_of(samples, shared_of(np.zeros(2, int), np.zeros(2, int)))
    assert found["links"] == [0.0, 0.0]
    assert found["silhouette"] == [None, None]
    assert found["flows"] == []


def test_texts_that_differ_have_words_and_typical_ones(tmp_path):
    random = np.random.RandomState(0)
    words = {0: ["dog", "cat", "horse"], 1: ["car", "bus", "train"]}
    group = np.repeat([0, 1], 40)
    path = tmp_path / "texts.csv"
    lines = [f'"the {" ".join(random.choice(words[g], 5))} number {i}"'
             for i, g in enumerate(group)]  # fmt: skip
    path.write_text("text\n" + "\n".join(lines))
    samples = read_samples(str(path), TableOptions(roles={"text": "text"}))
    there = np.where(np.arange(80) < 8, 1, group)
    [flow] = reasons_of(samples, shared_of(group, there))["flows"]
    assert flow["rows"] == 8
    found = {one["name"]: one for one in flow["columns"]}
    assert set(found) & set(words[0]) and set(found) & set(words[1])
    for name in set(found) & set(words[1]):
        assert found[name]["first"] == found[name]["asked"] == "0%"
    assert len(flow["texts"]) == 2
    assert all(set(text.split()) & set(words[0]) for text in flow["texts"])


def test_reasons_over_the_api(server, iris):
    one, two = (server.fit(iris, clusters=3, label="class", method=method)["id"]
                for method in ("maxmargin", "k-means"))  # fmt: skip
    query = f"/api/compare/reasons?first={one}&second={two}"
    found = server.client.get(query).json()
    assert len(found["links"]) == len(found["silhouette"]) == 2
    flows = server.client.get(query.replace("/reasons", "")).json()["flows"]
    keys = ("from", "to", "rows")
    assert [[flow[k] for k in keys] for flow in found["flows"]] == [
        [flow[k] for k in keys] for flow in flows
    ]
    other = server.fit(server.builtin("wine"), clusters=3)["id"]
    refused = server.client.get(query.replace(two, other))
    assert refused.status_code == 409
    assert "different data sets" in refused.json()["detail"]
