"""The command finds what the estimators find in the same table."""

import re

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.datasets import load_digits, load_iris, load_wine

from maxmargin import (
    EvolvingMaxMarginClustering,
    MaxMarginClustering,
    SemiSupervisedMaxMargin,
)
from maxmargin.cli.main import main

TABLES = {
    "iris": load_iris(as_frame=True).data,
    "wine": load_wine(as_frame=True).data,  # whose columns are scaled
    "digits": pd.DataFrame(load_digits().data[:300]).add_prefix("pixel_"),
}


def run(folder, frame, command, *options):
    """Run a command on a table; return the table that it wrote, and its output."""
    table, out = folder / "table.csv", folder / "out.csv"
    frame.to_csv(table, index=False)
    arguments = [command, table, *options, "--out", out, "--force"]
    result = CliRunner().invoke(main, [str(one) for one in arguments])
    assert result.exit_code == 0, result.output
    return pd.read_csv(out), result.stdout


@pytest.mark.filterwarnings("ignore:.* clusters are empty")
@pytest.mark.parametrize("kernel", ["auto", "neighbors", "rbf", "cosine", "linear"])
@pytest.mark.parametrize("name", TABLES)
def test_cluster(name, kernel, tmp_path):
    """Angles and distances are the same, so labels are: columns are only divided."""
    frame = TABLES[name]
    found, _ = run(tmp_path, frame, "cluster", "-k", 4, "--kernel", kernel)
    model = MaxMarginClustering(4, kernel=kernel, random_state=0).fit(frame)
    np.testing.assert_array_equal(found["cluster"], model.labels_)


def test_cluster_with_the_number_estimated(tmp_path):
    found, _ = run(tmp_path, TABLES["wine"], "cluster")
    model = MaxMarginClustering("auto", random_state=0).fit(TABLES["wine"])
    np.testing.assert_array_equal(found["cluster"], model.labels_)


def test_classify(tmp_path):
    iris = load_iris(as_frame=True).frame
    few = np.where(np.arange(150) % 15 == 0, iris["target"].to_numpy(), -1)
    frame = iris.drop(columns="target")
    table = frame.assign(species=pd.Series(few).where(few >= 0).astype("Int64"))
    found, _ = run(tmp_path, table, "classify", "--label", "species")
    model = SemiSupervisedMaxMargin(random_state=0).fit(frame, few)
    predicted = found.iloc[:, 1].to_numpy()
    np.testing.assert_array_equal(predicted, model.transduction_)


@pytest.mark.parametrize("k", ["3", "auto"])
@pytest.mark.parametrize("factor", [None, 3])
def test_evolve_if_nobody_moves(k, factor, tmp_path):
    """Four times the same table: one number of clusters, and all objects stay."""
    X = TABLES["iris"] if factor is None else np.rint(factor * TABLES["iris"])
    frame = pd.concat([X.assign(flower=X.index, year=2020 + t) for t in range(4)])
    page = tmp_path / "page.html"
    options = ("-k", k, "--time", "year", "--id", "flower", "--report", page)
    found, printed = run(tmp_path, frame, "evolve", *options)
    assert set(found["event"]) == {"came", "stayed"}
    labels = found["cluster"].to_numpy().reshape(4, -1)
    np.testing.assert_array_equal(labels, np.tile(labels[0], (4, 1)))
    number = int(labels.max()) + 1
    assert f", {number} clusters, " in printed
    assert "moved" not in re.sub(r"stayed\s+moved\s+came", "", printed)
    title = re.search("<title>(.*?)</title>", page.read_text())[1]
    assert title.startswith(f"{number} clusters over time")
    model = EvolvingMaxMarginClustering(3 if k == "3" else k, random_state=0)
    model.fit(X)
    np.testing.assert_array_equal(labels[0], model.labels_)
