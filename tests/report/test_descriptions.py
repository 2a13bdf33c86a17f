"""What distinguishes a cluster, in words and pictures."""

import base64
import io

import numpy as np
import pandas as pd
import pytest

from maxmargin.report.descriptions import (
    FeatureDifference,
    deciding_columns,
    feature_differences,
    separating_columns,
    short_number,
    summary_of,
)
from maxmargin.report.pictures import cluster_pictures, picture_columns
from maxmargin.tables.samples import TableOptions, read_samples


@pytest.fixture
def people(tmp_path):
    random = np.random.RandomState(0)
    age = np.concatenate([random.uniform(30, 50, 100), random.uniform(52, 70, 60)])
    town = np.where(np.arange(160) < 100, "Ulm", "Bonn")
    town[:10] = "Bonn"
    noise = random.randn(160)
    lines = [f"{a:.2f},{t},{n:.3f}" for a, t, n in zip(age, town, noise, strict=True)]
    path = tmp_path / "people.csv"
    path.write_text("age,town,noise\n" + "\n".join(lines))
    own = np.arange(160) >= 100
    return read_samples(str(path), TableOptions(scale="on")), own, np.round(age, 2)


def test_numbers_have_the_range_of_the_middle_half(people):
    samples, own, age = people
    found = {one.name: one for one in feature_differences(samples, own)}
    ranges = [
        *np.quantile(age[own], [0.25, 0.75]),
        *np.quantile(age[~own], [0.25, 0.75]),
    ]
    np.testing.assert_allclose(found["age"].ranges, ranges)
    np.testing.assert_allclose(found["age"].inside, age[own].mean())
    low, high, *others = (short_number(value) for value in ranges)
    text = f"age {low} to {high}, others {others[0]} to {others[1]}"
    assert found["age"].text == text
    summary = summary_of(samples, feature_differences(samples, own))
    # Of the town, not that there are few of Ulm.
    assert summary == f"{text}; town Bonn 100%, others 10%"


def test_values_of_categories_have_shares(people):
    samples, own, _ = people
    found = {one.name: one for one in feature_differences(samples, own)}
    assert found["town=Bonn"].ranges is None
    assert found["town=Bonn"].difference > 0
    assert found["town=Bonn"].text == "town Bonn 100%, others 10%"


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_booleans_are_true_or_false_and_codes_are_not(tmp_path, kind):
    random = np.random.RandomState(0)
    own = np.arange(300) >= 150
    flag, code = own ^ (random.rand(300) < 0.1), (own ^ (random.rand(300) < 0.1)) * 1
    columns = {"flag": flag, "x": random.randn(300) + 9 * own, "code": code}
    frame = pd.DataFrame(columns).astype({"code": "category"})
    path = tmp_path / f"t.{kind}"
    frame.to_csv(path, index=False) if kind == "csv" else frame.to_parquet(path)
    options = TableOptions(roles={"code": "category"})
    found = feature_differences(read_samples(str(path), options), own)
    texts = [one.text for one in found]
    inside, outside = flag[own].mean(), flag[~own].mean()
    assert f"flag True {100 * inside:.0f}%, others {100 * outside:.0f}%" in texts
    inside, outside = code[own].mean(), code[~own].mean()
    assert f"code 1 {100 * inside:.0f}%, others {100 * outside:.0f}%" in texts


@pytest.mark.parametrize("values", [("yes", "no"), (True, False)])
def test_a_category_is_judged_by_its_shares_and_not_by_what_is_expected_of_it(
    tmp_path, values
):
    """A category depends a little on numbers, and its expectation on nothing else."""
    random = np.random.RandomState(0)
    own = np.arange(300) >= 150
    numbers = random.randn(300, 2) + 4 * own[:, None]
    letter = np.where(random.rand(300) < 0.5 + 0.04 * own, *values)
    path = tmp_path / "t.csv"
    pd.DataFrame({"x": numbers[:, 0], "y": numbers[:, 1], "letter": letter}).to_csv(
        path
    )
    samples = read_samples(str(path), TableOptions(features=["x", "y", "letter"]))
    found = feature_differences(samples, own)
    names = [one.name.partition("=")[0] for one in found]
    assert set(names[:2]) == {"x", "y"}
    assert all(abs(one.difference) < 0.5 for one in found if one.ranges is None)
    assert set(separating_columns(samples, own.astype(int))) == {"x", "y"}


def test_the_columns_that_decide_between_two_groups(people):
    samples, own, age = people
    asked = np.zeros(160, dtype=bool)
    asked[:10] = True  # of the first group, but from Bonn
    columns = deciding_columns(samples, ~own & ~asked, own, asked)
    found = {one.name: one for one in columns}
    [town] = [one for name, one in found.items() if name.startswith("town")]
    shares = {
        "town Bonn": ("0%", "100%", "100%"),
        "town Ulm": ("100%", "0%", "0%"),
    }
    assert town[1:] == shares[town.name]
    low, high = np.quantile(age[:10], [0.25, 0.75])
    assert found["age"].asked == f"{short_number(low)} to {short_number(high)}"
    assert deciding_columns(samples, own, own & asked, asked) == []  # an empty group


def test_one_value_is_no_range():
    one = FeatureDifference("legs", 4.0, 2.0, 3.0, (4.0, 4.0, 2.0, 2.5))
    assert one.text == "legs 4, others 2 to 2.5"
    assert [short_number(v) for v in (0, 0.12345, 12345.6, 1e9)] == [
        "0",
        "0.123",
        "12,346",
        "1e+09",
    ]


def write_pixels(tmp_path, names, order):
    """Write pictures of 4 x 5 pixels with one dark pixel, the columns in some order."""
    pictures = np.zeros((40, 20))
    pictures[:20, 7] = 9.0  # row 1, column 2
    pictures[20:, 0] = 9.0
    pictures += np.random.RandomState(0).rand(40, 20)
    lines = [",".join(names[j] for j in order)]
    lines += [",".join(f"{v:.3f}" for v in row[order]) for row in pictures]
    path = tmp_path / "pixels.csv"
    path.write_text("\n".join(lines))
    return read_samples(str(path), TableOptions())


def test_rows_that_are_pictures(tmp_path):
    image = pytest.importorskip("PIL.Image")
    names = [f"pixel_{i}_{j}" for i in range(4) for j in range(5)]
    order = np.random.RandomState(1).permutation(20)
    samples = write_pixels(tmp_path, names, order)
    assert picture_columns(samples).shape == (4, 5)
    own = np.arange(40) < 20
    pictures = cluster_pictures(samples, own)
    assert len(pictures) == 4
    content = base64.b64decode(pictures[0].split(",")[1])
    shades = np.asarray(image.open(io.BytesIO(content)))
    assert shades.shape == (4, 5)
    assert np.unravel_index(shades.argmin(), shades.shape) == (1, 2)
    assert summary_of(samples, feature_differences(samples, own)) == ""


@pytest.mark.parametrize(
    "names",
    [
        [f"x{i}" for i in range(20)],
        [f"pixel{i}" for i in range(20)],  # not square
        [str(i) for i in range(20)],
        [f"pixel_{i}_{j}" for i in range(3) for j in range(6)] + ["age", "sex"],
    ],
)
def test_other_columns_are_no_pictures(tmp_path, names):
    samples = write_pixels(tmp_path, names, np.arange(20))
    assert picture_columns(samples) is None
    assert cluster_pictures(samples, np.arange(40) < 20) == []


def test_dates_are_shown_as_dates(tmp_path):
    random = np.random.RandomState(0)
    group = np.repeat([0, 1], 50)
    days = np.datetime64("2021-03-01") + 400 * group + random.randint(0, 5, size=100)
    path = tmp_path / "t.csv"
    pd.DataFrame({"joined": days, "x": random.randn(100)}).to_csv(path, index=False)
    samples = read_samples(path, TableOptions())
    first = feature_differences(samples, group == 0)[0]
    assert first.name == "joined"
    assert first.text.startswith("joined 2021-03-0")
    assert ", others 2022-04-0" in first.text


def test_few_values_are_described_by_the_cells_and_not_by_what_is_expected(tmp_path):
    """Expected values are between the cells: no row would have 1.2 products."""
    random = np.random.RandomState(0)
    own = np.arange(300) >= 150
    frame = pd.DataFrame({"x": random.randn(300) + 6 * own})
    frame["products"] = np.where(random.rand(300) < 0.3 + 0.4 * own, 2.0, 1.0)
    frame.loc[random.rand(300) < 0.1, "products"] = 3.0
    frame["kind"] = np.where(random.rand(300) < 0.5, "a", "b")
    frame.loc[:4, "products"] = np.nan
    path = tmp_path / "t.csv"
    frame.to_csv(path, index=False)
    samples = read_samples(str(path), TableOptions(roles={"products": "few values"}))
    found = {one.name: one for one in feature_differences(samples, own)}["products"]
    cells = frame["products"]
    means = cells[own].mean(), cells[~own].mean()
    np.testing.assert_allclose((found.inside, found.outside), means)
    expected = (means[0] - means[1]) / cells.std(ddof=0)
    np.testing.assert_allclose(found.difference, expected)
    inside, outside = map(short_number, means)
    assert found.text == f"products mean {inside}, others mean {outside}"
    [column] = [
        one
        for one in deciding_columns(samples, own, ~own, own)
        if one.name == "products"
    ]
    assert column.first == column.asked == f"mean {inside}"


def test_of_two_numbers_the_share_of_the_larger_one_is_told(tmp_path):
    random = np.random.RandomState(0)
    own = np.arange(300) >= 150
    frame = pd.DataFrame({"x": random.randn(300) + 6 * own})
    frame["member"] = (random.rand(300) < 0.3 + 0.4 * own).astype(int)
    frame["kind"] = np.where(random.rand(300) < 0.5, "a", "b")
    path = tmp_path / "t.csv"
    frame.to_csv(path, index=False)
    samples = read_samples(str(path), TableOptions(roles={"member": "few values"}))
    found = {one.name: one for one in feature_differences(samples, own)}["member"]
    inside, outside = frame["member"][own].mean(), frame["member"][~own].mean()
    text = f"member 1 {100 * inside:.0f}%, others {100 * outside:.0f}%"
    assert (found.text, found.label) == (text, "member 1")
    asked = frame["member"].to_numpy() == 0
    columns = deciding_columns(samples, own, ~own, asked)
    assert {one.name: one.asked for one in columns}["member 1"] == "0%"
