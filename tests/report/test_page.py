import re
from html.parser import HTMLParser
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest
from sklearn.metrics import silhouette_samples

from maxmargin import MaxMarginClustering
from maxmargin.report.facts import gather
from maxmargin.report.page import make_page
from maxmargin.report.pictures import map_picture, silhouette_picture
from maxmargin.tables.rules import learn_rules
from maxmargin.tables.table import Table

NAMES = ("width", "<b>height</b>", "noise")


@pytest.fixture
def fitted():
    random = np.random.RandomState(0)
    group = np.repeat([0, 1, 2], [40, 30, 20])
    numbers = random.randn(90, 3) + np.array([[0, 0, 0], [8, 0, 0], [0, 8, 0]])[group]
    table = Table(NAMES, numbers.copy(), names=NAMES)
    rules = learn_rules(table, scale="on")
    X, _ = rules.apply(table)
    clusters = MaxMarginClustering(3, random_state=0).fit(X)
    data = SimpleNamespace(
        X=X, rules=rules, ids=np.array([f"r&{i}" for i in range(90)]), notes=["a < b"]
    )
    return numbers, data, clusters


def facts_of(data, clusters):
    return gather(clusters, data.X, clusters.labels_, data.rules.names, data.ids,
                  data.rules.original, np.random.RandomState(0))  # fmt: skip


def test_facts(fitted):
    numbers, data, clusters = fitted
    facts = facts_of(data, clusters)
    labels = clusters.labels_
    assert facts.sizes.tolist() == np.bincount(labels).tolist()
    values = silhouette_samples(data.X, labels)
    for h in range(3):
        np.testing.assert_allclose(
            np.sort(facts.silhouettes[h]), np.sort(values[labels == h])
        )
        best = facts.telling[h][0]
        j = NAMES.index(best.name)
        np.testing.assert_allclose(best.here, numbers[labels == h, j].mean())
        np.testing.assert_allclose(best.elsewhere, numbers[labels != h, j].mean())
        assert best.name != "noise"
    assert (facts.stability > 0.9).all()
    margins = [row.margin for row in facts.border]
    assert margins == sorted(margins)
    for row in facts.border:
        i = data.ids.tolist().index(row.name)
        two = np.argsort(-clusters.decision_function(data.X[[i]])[0])[:2]
        assert (row.cluster, row.other) == tuple(two)


class Checker(HTMLParser):
    """Follows what is open; void elements close themselves."""

    VOID = ("meta", "rect", "line", "circle")

    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attributes):
        if tag not in self.VOID or (tag == "circle"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        pass

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_page(fitted):
    _, data, clusters = fitted
    summary = {
        "table": "a<b.csv", "rows": 90, "features": list(NAMES), "n_clusters": 3,
        "seconds": 0.1, "scaled": True, "missing": "error", "objective": 1.0,
        "adjusted_rand_index": 0.5,
    }  # fmt: skip
    page = make_page(data, clusters, clusters.labels_, summary)
    checker = Checker()
    checker.feed(page)
    assert checker.open == []
    assert "a&lt;b.csv" in page
    assert "<b>height" not in page
    assert "n_clusters=3, random_state=0" in page
    assert not re.search(r"(src|href)=|@import|url\(", page)  # nothing to fetch
    assert "prefers-color-scheme: dark" in page
    assert "@media print" in page
    assert (
        page.count('<section class="card">') + page.count("<section class=card>") == 3
    )


def test_pictures_are_well_formed(fitted):
    _, data, clusters = fitted
    facts = facts_of(data, clusters)
    picture = ElementTree.fromstring(map_picture(facts))
    points = [c for c in picture.iter("circle") if c.find("title") is not None]
    assert len(points) == 90
    for point in points:
        assert 0 <= float(point.get("cx")) <= 640
        assert 0 <= float(point.get("cy")) <= 420
    numbers = [text.text for text in picture.iter("text")]
    assert numbers == ["0", "1", "2"]
    small = ElementTree.fromstring(silhouette_picture(np.array([0.9, -0.5]), "red"))
    heights = [float(bar.get("height")) for bar in small.iter("rect")]
    assert heights == [18.0, 10.0]
    assert silhouette_picture(np.empty(0), "red") == ""


def test_one_cluster_and_few_rows():
    X = np.random.RandomState(0).randn(6, 1)
    rules = learn_rules(Table(("x",), X.copy(), names=("x",)))
    for k in (1, 3):
        clusters = MaxMarginClustering(k, random_state=0).fit(X)
        data = SimpleNamespace(X=X, rules=rules, ids=np.arange(6), notes=[])
        summary = {"table": "t", "rows": 6, "features": ["x"], "n_clusters": k,
                   "seconds": 0.0, "scaled": False, "missing": "drop",
                   "objective": 0.0}  # fmt: skip
        page = make_page(data, clusters, clusters.labels_, summary)
        assert "nan" not in page
