"""The shares of the steps of a first fit."""

import pytest

pytest.importorskip("fastapi", reason="needs the extra app")
from maxmargin.app.costs import READING, first_fit_costs
from maxmargin.app.jobs import Job


def test_costs_grow_with_the_rows_and_the_number_takes_its_part():
    given = first_fit_costs(10_000, 8, automatic=False, with_map=True)
    found = first_fit_costs(10_000, 8, automatic=True, with_map=True)
    assert READING < given.share_of_clusters < found.share_of_clusters < 1
    large = first_fit_costs(100_000, 8, automatic=True, with_map=True)
    assert large.share_of_clusters < found.share_of_clusters
    assert first_fit_costs(200_000, 8, True, with_map=False).share_of_map == 0.0


def test_the_time_that_is_left_follows_from_the_share():
    job = Job("a", "fit", "work", state="running", share=0.5)
    job.ended = job.started + 10.0
    assert job.show()["seconds_left"] == 10.0
    job.share = 0.25
    assert job.show()["seconds_left"] == 30.0
    job.share = 0.01  # too early to tell
    assert job.show()["seconds_left"] is None
