"""What a run was made on."""

import os
import platform
from pathlib import Path

import numpy
import scipy
import sklearn


def describe_machine() -> str:
    """Return the processor, the cores that may be used, and the libraries."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 0
    return (
        f"{_processor()}, {cores or os.cpu_count()} cores, {platform.system()}, "
        f"Python {platform.python_version()}, numpy {numpy.__version__}, "
        f"scipy {scipy.__version__}, scikit-learn {sklearn.__version__}; "
        "each measurement with one thread"
    )


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
