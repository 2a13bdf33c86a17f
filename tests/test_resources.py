"""Memory that a fit may use."""

import numpy as np
import pytest

from maxmargin.resources import available_memory, format_bytes, parse_memory_limit


def test_memory_with_units():
    assert available_memory() > 0
    assert format_bytes(1536) == "1.54 kB"
    assert format_bytes(3.2e9) == "3.2 GB"
    assert parse_memory_limit("1.5 GB") == 1.5e9
    assert parse_memory_limit(1000) == 1000.0
    assert parse_memory_limit(" 2. kB ") == 2000.0
    assert parse_memory_limit(".5 MB") == 5e5
    assert parse_memory_limit(np.float32(8)) == 8.0
    assert parse_memory_limit(None) > 0


@pytest.mark.parametrize(
    "limit",
    [
        *("1.2.3 GB", ".", "GB", "", "0", "-1 GB", "1e9"),
        *(float("nan"), 0, -5, True, [1]),
    ],
)
def test_other_memory_limits_are_refused(limit):
    with pytest.raises(ValueError, match=r"memory_limit=.* is not understood: give"):
        parse_memory_limit(limit)
