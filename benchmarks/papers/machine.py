"""What a run was made on."""

import os
import platform
from pathlib import Path

import numpy
import scipy
import sklearn


def describe_machine() -> str:
    """Return the processor, its cores, the libraries, and whether others used it."""
    affinity = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity else os.cpu_count() or 1
    load = os.getloadavg()[1] if hasattr(os, "getloadavg") else 0.0
    others = f", times on a loaded machine (load {load:.0f})" if load > cores else ""
    return (
        f"{_processor()}, {cores} cores, {platform.system()}, "
        f"Python {platform.python_version()}, numpy {numpy.__version__}, "
        f"scipy {scipy.__version__}, scikit-learn {sklearn.__version__}; "
        f"each measurement with one thread{others}"
    )


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
