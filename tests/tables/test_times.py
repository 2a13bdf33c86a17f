import numpy as np
import pytest

from maxmargin.tables.table import TableError
from maxmargin.tables.times import order_times


@pytest.mark.parametrize(
    ("expected", "kind"),
    [
        ("Jan Feb Mar Apr Dec", "dates"),
        ("January February April", "dates"),
        ("Dec-25 Jan-26 Apr-26", "dates"),
        ("30.9.2025 1.10.2025 2.1.2026", "dates"),
        ("12/31/2025 1/2/2026", "dates"),
        ("2025-12 2026-01", "dates"),
        ("2026-01-31 2026-02-01T08:00 2026-02-01T09:00Z", "dates"),
        ("m8 m9 m10", "the numbers in them"),
        ("Q3/2025 Q4/2025 Q1/2026", "the numbers in them"),
        ("12/2025 1/2026 2/2026", "the numbers in them"),
        ("9:30 10:15", "the numbers in them"),
        ("2 10 1e3", "numbers"),
        ("spring summer autumn", "the file"),
        ("Mon Tue Wed", "the file"),
    ],
)
def test_order_of_text(expected, kind):
    names = expected.split()
    shuffled = names if kind == "the file" else names[::-1]
    times = np.array([*shuffled, *names], dtype=object)
    found = order_times(times)
    assert found.names == names
    assert [names[i] for i in found.positions] == times.tolist()
    assert found.note.startswith(f"times are in the order of {kind}: {names[0]}, ")


def test_order_of_the_file_on_demand():
    times = np.array(["Nov", "Dec", "Jan", "Dec"])
    assert order_times(times, "file").names == ["Nov", "Dec", "Jan"]
    assert order_times(np.array([10, 2, 2]), "file").names == [10, 2]


def test_numbers_and_dates():
    assert order_times(np.array([10.0, 2.0])).names == [2, 10]
    days = np.array(["2026-02-01", "2026-01-31"], "datetime64[D]")
    found = order_times(days)
    assert found.positions.tolist() == [1, 0]
    assert found.note == "times are in the order of dates: 2026-01-31, 2026-02-01"


def test_two_spellings_of_one_time_are_one_snapshot():
    found = order_times(np.array(["01", "2", "1"]))
    assert found.positions.tolist() == [0, 1, 0]


def test_day_or_month_first_is_not_guessed():
    with pytest.raises(TableError, match="--order file"):
        order_times(np.array(["01/02/2026", "02/01/2026"]))
    assert len(order_times(np.array(["01/02/2026", "01/03/2026"])).names) == 2
