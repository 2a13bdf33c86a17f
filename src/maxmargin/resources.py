"""The memory that a fit may use."""

import numbers
import os
import re
from pathlib import Path


def available_memory() -> int:
    """Return the bytes that are free; 4 GB where the system does not report them."""
    try:
        free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return 4 * 10**9
    return min(max(free, _reclaimable()), _group_limit())


def parse_memory_limit(limit: int | str | None) -> float:
    """Return ``memory_limit`` in bytes; ``None`` is the memory that is free.

    Infinity lifts every limit.
    """
    if limit is None:
        return float(available_memory())
    if isinstance(limit, str):
        number = r"([0-9]+\.?[0-9]*|\.[0-9]+)"
        match = re.fullmatch(rf"\s*{number}\s*([kMGT]?)i?B?\s*", limit)
        if match is not None and float(match[1]) > 0:
            return float(match[1]) * 1000.0 ** " kMGT".index(match[2] or " ")
    elif isinstance(limit, numbers.Real) and not isinstance(limit, bool):
        if float(limit) > 0:
            return float(limit)
    raise ValueError(
        f"memory_limit={limit!r} is not understood: give a number of bytes, a string "
        "such as '1 GB', or None."
    )


def _reclaimable() -> int:
    """Return the memory that Linux reports as available, page cache included."""
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def _group_limit() -> int:
    """Return the memory that the control group of a container still allows."""
    group = Path("/sys/fs/cgroup")
    try:
        limit = (group / "memory.max").read_text().strip()
        used = int((group / "memory.current").read_text())
    except (OSError, ValueError):
        return 2**62
    return 2**62 if limit == "max" else max(int(limit) - used, 0)


def format_bytes(size: float) -> str:
    """Format a number of bytes with a unit."""
    for unit in ("bytes", "kB", "MB", "GB", "TB"):
        if size < 1000 or unit == "TB":
            return f"{size:.3g} {unit}"
        size /= 1000
    raise AssertionError("unreachable")
