"""The command on tables of texts."""

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from maxmargin import MaxMarginClustering
from maxmargin.cli.main import main

WORDS = ["bread cheese apple soup oven", "goal match player coach ball"]


def run(*arguments, code=0):
    result = CliRunner().invoke(main, [str(a) for a in arguments])
    assert result.exit_code == code, result.output
    return result


@pytest.fixture
def table(tmp_path, random):
    topics = random.randint(2, size=80)
    texts = [" ".join(random.permutation(WORDS[t].split())[:4]) for t in topics]
    frame = pd.DataFrame({"id": np.arange(80), "comment": texts})
    frame.to_csv(tmp_path / "comments.csv", index=False)
    frame.assign(size=topics + 0.1 * random.randn(80)).to_csv(
        tmp_path / "mixed.csv", index=False
    )
    return frame


def test_clusters_keywords_model_and_report(table, tmp_path):
    path, labels = tmp_path / "comments.csv", tmp_path / "labels.csv"
    model, report = tmp_path / "model.npz", tmp_path / "report.html"
    options = ("--out", labels, "--model", model, "--report", report, "--json")
    found = json.loads(run("cluster", path, "-k", 2, *options).stdout)
    assert found["features"] == ["comment"]
    assert sorted(map(sorted, found["keywords"])) == sorted(
        sorted(words.split()) for words in WORDS
    )
    expected = MaxMarginClustering(2, random_state=0).fit_predict(table["comment"])
    np.testing.assert_array_equal(pd.read_csv(labels)["cluster"], expected)
    again = tmp_path / "again.csv"
    run("predict", model, path, "--out", again)
    np.testing.assert_array_equal(pd.read_csv(again)["cluster"], expected)
    page = report.read_text()
    assert "Keywords" in page
    assert any(text in page for text in table["comment"])
    assert "keywords" in run("cluster", path, "-k", 2).stdout


def test_texts_beside_numbers_are_named(table, tmp_path):
    mixed = tmp_path / "mixed.csv"
    told = run("cluster", mixed, "-k", 2).stderr
    assert "'comment' holds texts and is not used beside other columns" in told
    alone = run("cluster", mixed, "-k", 2, "--features", "comment").stdout
    assert "keywords" in alone


def test_commands_that_do_not_compare_texts(table, tmp_path):
    result = run("compare", tmp_path / "comments.csv", "-k", 2, code=1)
    assert "nothing but texts" in result.stderr
