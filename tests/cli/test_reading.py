"""Tables that the command reads, and what it says of bad ones."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_blobs
from tests.cli.command import run


def test_standard_input_and_auto():
    X, _ = make_blobs(150, centers=3, center_box=(-20, 20), random_state=1)
    table = pd.DataFrame(X, columns=["a", "b"]).to_csv(index=False)
    result = run("cluster", "-", "--json", input=table.encode())
    assert json.loads(result.stdout)["n_clusters"] == 3


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
    failed = run("cluster", path, "-k", 3, "--missing", "error", code=1)
    assert "--missing median" in failed.stderr
    result = run("cluster", path, "-k", 3, "--id", "customer",
                 "--out", out)  # fmt: skip
    assert "column 'town': category, 3 values; the other" in result.stderr
    found = pd.read_csv(out)
    assert found["customer"].tolist() == frame["customer"].tolist()  # to the last digit
    assert pd.crosstab(found["cluster"], group).gt(0).sum().sum() == 3
    result = run("cluster", path, "-k", 3, "--missing", "drop", "--out", out, "--force")
    assert "rows with missing values are left out" in result.stderr
    assert (
        pd.read_csv(out)["row"].tolist()
        == np.flatnonzero(frame["age"].notna()).tolist()
    )
