"""The shares of the steps of a first fit."""

import time
from functools import partial

import numpy as np
import pytest

pytest.importorskip("fastapi", reason="needs the extra app")
from maxmargin import MaxMarginClustering, progress
from maxmargin.app.costs import Pace, expected_shape, first_fit_costs
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
    assert wide.reading > 3 * few.reading and wide.search > few.search
    assert many.parts > 2 * few.parts and many.map > 2 * few.map


@pytest.mark.parametrize("clusters", ["auto", 3])
def test_the_pace_knows_what_a_fit_reports_after_its_steps(clusters):
    X = np.random.RandomState(0).randn(300, 2)
    pace = Pace(300, clusters, costs_of(300))
    after = pace._after_steps()
    assert (np.diff(after) >= 0).all() and after[-1] == 1.0
    heard = []
    with progress.report_to(lambda share, name: heard.append((share, name))):
        MaxMarginClustering(clusters, random_state=0).fit(X)
    number = [s for s, name in heard if "number" in name]
    assert max(number, default=0.0) == pytest.approx(after[1])
    searched = [s for s, name in heard if name == "search"]
    assert after[2] - 1e-9 <= min(searched) <= max(searched) <= after[3] + 1e-9
    assert min(s for s, name in heard if name == "labels") == pytest.approx(after[4])
    costs = pace.costs
    assert pace.share_of(0.0) == pytest.approx(costs.share_of_reading)
    found = costs.share_of_clusters  # margins of the rows follow the labels
    assert 0.8 * found < pace.share_of(1.0) < found


def costs_of(n_rows):
    return partial(first_fit_costs, n_rows, 8, with_map=False)


def test_more_clusters_than_expected_leave_more_to_do():
    few, many = (Pace(8000, "auto", costs_of(8000)) for _ in range(2))
    number = few._after_steps()[1]
    before = few.share_of(number)
    assert few.share_of(0.5 * number) == before  # a repeated part does not count
    few.take_number(2)
    many.take_number(60)
    assert many.share_of(number) < 0.7 * before < before < few.share_of(number)
    assert many.costs.number == few.costs.number > 0


def test_many_rows_are_a_part_first_and_then_perhaps_all():
    part, all_rows = (Pace(300_000, 4, costs_of(300_000)) for _ in range(2))
    searched = [pace.share_of(0.85) for pace in (part, all_rows)]
    assert part.again == all_rows.again > part.costs.until_labels  # perhaps
    assert part.share_of(0.9401) > 1.2 * searched[0] and part.again == 0.0
    reached = all_rows.share_of(0.1)
    assert all_rows.again == 0.0
    assert all_rows.on_all and all_rows.costs.graph > 5 * part.costs.graph
    assert all_rows.costs.reading == part.costs.reading + part.costs.until_labels
    assert reached < all_rows.share_of(0.85)


def test_a_run_is_counted_by_other_shares_and_tells_its_number():
    heard, numbers = [], []
    with progress.report_to(lambda share, name: heard.append((share, name))):
        with progress.counted_by(lambda share: share**2, numbers.append):
            with progress.stage(0.0, 1.0, "fit"):
                progress.update(0.5, "search")
                X = np.repeat(np.eye(3), 20, axis=0) * 9
                X += np.random.RandomState(0).randn(60, 3)
                model = MaxMarginClustering(random_state=0).fit(X)
    assert heard[:2] == [(0.0, "fit"), (0.25, "search")]
    assert heard[-1] == (1.0, "fit")
    assert numbers == [model.n_clusters_]
    progress.tell_number(3)
    assert len(numbers) == 1  # nobody listens any longer


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
    job.share, job.delay = 0.5, 9.5
    assert job.show()["seconds_left"] is None


def test_what_is_left_may_grow_and_the_bar_does_not_fall():
    jobs, job = Jobs(1), Job("a", "fit", "work", state="running")
    job.started -= 8.0
    for share, left in ((0.5, 8.0), (0.2, 32.0), (0.4, 12.0)):
        jobs._take(job, {"event": "progress", "share": share, "stage": "map"})
        shown = job.show()
        assert shown["share"] == 0.5
        assert shown["seconds_left"] == pytest.approx(left, rel=0.05)


def test_the_time_of_compilation_tells_nothing_about_the_rest():
    jobs, job = Jobs(1), Job("a", "fit", "work", state="running")
    for stage in ("neighbors", COMPILING, "search"):
        jobs._take(job, {"event": "progress", "share": 0.5, "stage": stage})
        time.sleep(0.2)
    job.started -= 1.0
    shown = job.show()
    assert shown["seconds"] >= 1.6
    assert shown["seconds_left"] <= shown["seconds"] - 0.15
