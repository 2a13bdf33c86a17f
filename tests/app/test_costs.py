"""The shares of the steps of a first fit."""

import time

import numpy as np
import pytest

pytest.importorskip("fastapi", reason="needs the extra app")
from maxmargin import MaxMarginClustering, progress
from maxmargin.app.costs import expected_shape, first_fit_costs
from maxmargin.app.jobs import Job, Jobs
from maxmargin.compiled import COMPILING


def test_costs_grow_with_the_rows_and_the_number_takes_its_part():
    given = first_fit_costs(10_000, 8, 5, with_map=True)
    found = first_fit_costs(10_000, 8, "auto", with_map=True)
    assert 0 < given.share_of_reading < 0.2
    assert 0.2 < given.share_of_clusters < found.share_of_clusters < 1
    large = first_fit_costs(100_000, 8, "auto", with_map=True)
    assert large.number == found.number and large.graph > 5 * found.graph
    assert first_fit_costs(200_000, 8, "auto", with_map=False).share_of_map == 0.0


def test_columns_and_clusters_cost_time():
    few, wide = (first_fit_costs(5000, d, 5, with_map=True) for d in (5, 100))
    many = first_fit_costs(5000, 5, 100, with_map=True)
    assert wide.reading > 5 * few.reading and wide.search > few.search
    assert many.parts > 2 * few.parts and many.map > 2 * few.map


@pytest.mark.parametrize("clusters", ["auto", 3])
def test_the_pace_has_the_shares_that_a_fit_reports(clusters):
    X = np.random.RandomState(0).randn(300, 2)
    costs = first_fit_costs(300, 2, clusters, with_map=True)
    reported, shares = costs.pace(300)
    assert (np.diff(reported) >= 0).all() and (np.diff(shares) >= 0).all()
    assert reported[-1] == 1.0 and 0.8 < shares[-1] < 1.0  # margins follow
    heard = []
    with progress.report_to(lambda share, name: heard.append((share, name))):
        MaxMarginClustering(clusters, random_state=0).fit(X)
    number = [s for s, name in heard if "number" in name]
    assert max(number, default=0.0) == pytest.approx(reported[1])
    searched = [s for s, name in heard if name == "search"]
    assert reported[2] - 1e-9 <= min(searched) <= max(searched) <= reported[3] + 1e-9
    assert min(s for s, name in heard if name == "labels") == pytest.approx(reported[4])


def test_a_pace_counts_reports_by_other_shares():
    heard = []
    with progress.report_to(lambda share, name: heard.append((share, name))):
        with progress.stage(0.5, 1.0, "fit"), progress.paced([0, 0.9, 1], [0, 0.2, 1]):
            progress.update(0.9, "search")
            with progress.stage(0.9, 1.0):
                progress.update(0.5)
    assert [name for _, name in heard] == ["fit", "search", "fit", "fit", "fit", "fit"]
    found = [share for share, _ in heard]
    assert found == pytest.approx([0.5, 0.6, 0.6, 0.8, 1.0, 1.0])


@pytest.mark.parametrize("sign", [",", ";", "\t"])
def test_the_shape_of_a_file_is_known_before_it_is_read(tmp_path, sign):
    path = tmp_path / "t.csv"
    rows = np.random.RandomState(0).randn(20_000, 7)
    np.savetxt(path, rows, fmt="%.4f", delimiter=sign)
    n_rows, n_columns = expected_shape(str(path))
    assert n_columns == 7
    assert n_rows == pytest.approx(20_000, rel=0.02)


@pytest.mark.parametrize("content", [b"", b"\n", bytes(range(256)) * 500])
def test_files_that_are_no_text_have_some_shape(tmp_path, content):
    path = tmp_path / "t.parquet"
    path.write_bytes(content)
    n_rows, n_columns = expected_shape(str(path))
    assert n_rows >= 1 and n_columns >= 1


def test_the_time_that_is_left_follows_from_the_share():
    job = Job("a", "fit", "work", state="running", share=0.5)
    job.ended = job.started + 10.0
    assert job.show()["seconds_left"] == 10.0
    job.share = 0.25
    assert job.show()["seconds_left"] == 30.0
    job.delay = 6.0  # it waited for a process
    assert job.show()["seconds_left"] == 12.0
    job.share = 0.01  # too early to tell
    assert job.show()["seconds_left"] is None


def test_the_time_of_compilation_tells_nothing_about_the_rest():
    jobs, job = Jobs(1), Job("a", "fit", "work", state="running")
    for stage in ("neighbors", COMPILING, "search"):
        jobs._take(job, {"event": "progress", "share": 0.5, "stage": stage})
        time.sleep(0.2)
    shown = job.show()
    assert shown["seconds"] >= 0.6
    assert shown["seconds_left"] <= shown["seconds"] - 0.15
