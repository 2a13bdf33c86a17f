"""What a notebook shows of an estimator: its parameters, and a link to its page."""

import pytest

from maxmargin import ImageSegmenter, MaxMarginClustering, documented
from maxmargin.published import LeaderClustering, LeastSquaresMaxMarginClustering
from maxmargin.tables import TableEncoder
from maxmargin.texts import TextEncoder

URL = "https://docs.example/latest"


@pytest.fixture
def published(monkeypatch):
    monkeypatch.setattr(documented, "documentation_url", lambda: URL)


@pytest.mark.parametrize(
    "estimator, page",
    [
        (MaxMarginClustering(), "maxmargin.MaxMarginClustering"),
        (ImageSegmenter(), "maxmargin.ImageSegmenter"),
        (LeaderClustering(), "maxmargin.published.LeaderClustering"),
        (TableEncoder(), "maxmargin.tables.TableEncoder"),
        (TextEncoder(), "maxmargin.texts.TextEncoder"),
        (
            LeastSquaresMaxMarginClustering(),
            "maxmargin.published.LeastSquaresMaxMarginClustering",
        ),
    ],
)
def test_the_link_is_that_of_the_reference(estimator, page, published):
    link = f"{URL}/api/generated/{page}.html"
    assert estimator._get_doc_link() == link
    assert f'href="{link}"' in estimator._repr_html_()


def test_the_parameters_are_shown():
    text = MaxMarginClustering(7, balance="equal")._repr_html_()
    assert "n_clusters" in text
    assert "equal" in text


def test_without_an_address_there_is_no_link(monkeypatch):
    monkeypatch.setattr(documented, "documentation_url", lambda: "")
    assert MaxMarginClustering()._get_doc_link() == ""
    assert 'href=""' not in MaxMarginClustering()._repr_html_()


def test_classes_of_others_have_no_link(published):
    class Own(MaxMarginClustering):
        pass

    assert Own()._get_doc_link() == ""


@pytest.mark.parametrize(
    "declared, url",
    [
        (["Source, https://a.example", f"Documentation, {URL}/"], URL),
        (["Source, https://a.example"], ""),
        (None, ""),
    ],
)
def test_the_address_is_what_the_package_declares(declared, url, monkeypatch):
    class Metadata:
        def get_all(self, name):
            assert name == "Project-URL"
            return declared

    monkeypatch.setattr(documented, "metadata", lambda name: Metadata())
    assert documented.documentation_url.__wrapped__() == url
