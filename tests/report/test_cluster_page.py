import re
from dataclasses import replace
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pytest
from sklearn.metrics import silhouette_samples

from maxmargin import MaxMarginClustering
from maxmargin.report.alternatives_section import (
    alternatives_of,
    alternatives_section,
)
from maxmargin.report.cluster_page import (
    make_cluster_page,
    map_picture,
    silhouette_picture,
)
from maxmargin.report.number_section import number_section, score_picture
from maxmargin.report.results import OtherLabels, TableResult, cluster_facts
from maxmargin.tables.preprocessing import fit_preprocessor
from maxmargin.tables.samples import TableSamples
from maxmargin.tables.table import Table

NAMES = ("width", "<b>height</b>", "noise")


@pytest.fixture
def fitted():
    random = np.random.RandomState(0)
    group = np.repeat([0, 1, 2], [40, 30, 20])
    numbers = random.randn(90, 3) + np.array([[0, 0, 0], [8, 0, 0], [0, 8, 0]])[group]
    table = Table(NAMES, numbers.copy(), names=NAMES)
    preprocessor = fit_preprocessor(table, scale="on")
    X, _ = preprocessor.transform(table)
    ids = np.array([f"r&{i}" for i in range(90)])
    samples = TableSamples("a<b.csv", X, preprocessor, "row", ids)
    clusters = MaxMarginClustering(3, random_state=0).fit(X)
    return numbers, TableResult(
        samples, clusters, clusters.labels_, 0.1, ("a < b",), 0.5
    )


def test_facts(fitted):
    numbers, result = fitted
    facts = cluster_facts(result, np.random.RandomState(0))
    samples, clusters, labels = result.samples, result.estimator, result.labels
    assert facts.sizes.tolist() == np.bincount(labels).tolist()
    values = silhouette_samples(samples.X, labels)
    for h in range(3):
        np.testing.assert_allclose(
            np.sort(facts.silhouettes[h]), np.sort(values[labels == h])
        )
        best = facts.differences[h][0]
        j = NAMES.index(best.name)
        np.testing.assert_allclose(best.inside, numbers[labels == h, j].mean())
        np.testing.assert_allclose(best.outside, numbers[labels != h, j].mean())
        assert best.name != "noise"
    assert (facts.stability > 0.9).all()
    margins = [row.margin for row in facts.boundary]
    assert margins == sorted(margins)
    for row in facts.boundary:
        i = samples.ids.tolist().index(row.name)
        two = np.argsort(-clusters.decision_function(samples.X[[i]])[0])[:2]
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
    _, result = fitted
    page = make_cluster_page(result._replace(alternatives=()))
    checker = Checker()
    checker.feed(page)
    assert checker.open == []
    assert "a&lt;b.csv" in page
    assert "<b>height" not in page
    assert "n_clusters=3, random_state=0" in page
    assert "3 clusters in a&lt;b.csv" in page
    assert "<dd>a &lt; b</dd>" in page
    assert "(adjusted Rand index): 0.500" in page
    assert not re.search(r"(src|href)=|@import|url\(", page)  # nothing to fetch
    assert "prefers-color-scheme: dark" in page
    assert "@media print" in page
    used = set(re.findall(r"var\((--c\d+)\)", page))
    assert used == {"--c0", "--c1", "--c2"}
    assert all(f"{name}:#" in page for name in used)
    assert (
        page.count('<section class="card">') + page.count("<section class=card>") == 3
    )


def test_names_on_the_map_are_inside_and_framed(fitted):
    _, result = fitted
    long = "young people who buy on the web at night"
    facts = cluster_facts(
        result._replace(names=[long, "1", "2"]), np.random.RandomState(0)
    )
    found = re.findall(
        r'<rect x="([\d.-]+)" y="[\d.-]+" width="([\d.]+)"', map_picture(facts)
    )
    assert len(found) == 3
    for x, width in found:
        assert 0 <= float(x) and float(x) + float(width) <= 640
    assert float(found[0][1]) > 150 > float(found[1][1])
    assert f">{long[:24].rstrip()} ...<" in map_picture(facts)


def test_page_shows_the_scores_of_the_numbers(fitted):
    _, result = fitted
    automatic = MaxMarginClustering(random_state=0).fit(result.samples.X)
    table = automatic.count_table_
    assert "Why this number" not in make_cluster_page(result)
    page = make_cluster_page(result._replace(counts=table))
    assert f"best {table.best}" in page
    section = number_section(table, 4)
    picture = ElementTree.fromstring(score_picture(table))
    assert len([*picture.iter("circle")]) == len(table.rows)
    assert "of this report" in section  # 4 is neither the best nor a next best one
    for other in table.maxima[1:5]:
        assert f"<td>{other.n_clusters}</td><td>{other.score:.3f}</td>" in section
    assert number_section(None, 3) == ""


def test_page_shows_alternatives_in_the_colours_of_the_clusters(fitted):
    _, result = fitted
    half = np.where(result.labels == 2, 1, result.labels)  # 2 and 1 are one
    other = OtherLabels(1 - half, "a < level", 0.61)
    page = make_cluster_page(result._replace(alternatives=[other]))
    assert "<h2>Alternatives</h2>" in page and "a &lt; level" in page
    assert "2 clusters, by" in page and "agreement 0.61" in page
    facts = cluster_facts(result, np.random.RandomState(0))
    section = alternatives_section(result, facts, [other])
    start, end = section.index("<svg"), section.index("</svg>") + 6
    picture = ElementTree.fromstring(section[start:end])
    points = {path.get("stroke"): path.get("d") for path in picture.iter("path")}
    # The labels are numbered the other way round: colours are by common rows.
    assert points["var(--c0)"].count("M") == (result.labels == 0).sum()
    assert points["var(--c1)"].count("M") == (result.labels != 0).sum()
    assert alternatives_section(result, facts, []) == ""
    found = result.estimator.find_alternatives(result.samples.X)
    assert alternatives_of(result)[0].description == found[0].description


def test_page_says_what_is_weak(fitted):
    _, result = fitted
    page = make_cluster_page(result._replace(alternatives=()))
    assert ">stable</span>" in page and ">compact</span>" in page
    assert "of the rows are close to a boundary." in page
    random = np.random.RandomState(0)
    noise = replace(result.samples, X=random.standard_normal((90, 3)))
    model = MaxMarginClustering(3, random_state=0).fit(noise.X)
    weak = result._replace(samples=noise, estimator=model, labels=model.labels_)
    text = make_cluster_page(weak._replace(alternatives=()))
    assert ">weak</span>" in text or ">fair</span>" in text
    assert "The clusters are weak" in text or ">unstable</span>" in text


def test_pictures_are_well_formed(fitted):
    facts = cluster_facts(fitted[1], np.random.RandomState(0))
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
    preprocessor = fit_preprocessor(Table(("x",), X.copy(), names=("x",)))
    samples = TableSamples("t.csv", X, preprocessor, "row", np.arange(6))
    for k in (1, 3):
        clusters = MaxMarginClustering(k, random_state=0).fit(X)
        page = make_cluster_page(TableResult(samples, clusters, clusters.labels_, 0.0))
        assert "nan" not in page


def make_result(X, n_clusters):
    names = tuple(f"x{j}" for j in range(X.shape[1]))
    table = Table(names, X.copy(), names=names)
    preprocessor = fit_preprocessor(table, scale="off")
    samples = TableSamples("t.csv", X, preprocessor, "row", np.arange(len(X)))
    clusters = MaxMarginClustering(n_clusters, random_state=0).fit(X)
    return TableResult(samples, clusters, clusters.labels_, 0.1)


def test_a_weak_clustering_is_called_weak(fitted):
    random = np.random.RandomState(0)
    noise = make_cluster_page(make_result(random.rand(300, 20), 5))
    assert "<b>The clusters are weak</b>" in noise
    assert "They may be an arbitrary division" in noise
    clear = make_cluster_page(fitted[1])
    assert "clusters are weak" not in clear and "not compact" not in clear
    turns = np.linspace(0, 2 * np.pi, 200, endpoint=False)
    circle = np.column_stack([np.cos(turns), np.sin(turns)])
    rings = np.concatenate([circle, 4 * circle]) + 0.05 * random.randn(400, 2)
    shown = make_cluster_page(make_result(rings, 2))
    assert "The clusters are not compact" in shown
    assert "found again in random halves" in shown


def test_the_page_says_that_a_margin_is_no_probability(fitted):
    assert "It is no probability of being right." in make_cluster_page(fitted[1])
