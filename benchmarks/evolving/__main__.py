"""Run ``python -m benchmarks.evolving [--repeats 3] [table1 table2 real speed]``."""

import argparse
import warnings

from benchmarks.evolving.real import print_real
from benchmarks.evolving.speed import print_speed
from benchmarks.evolving.tables import print_drifting, print_synthetic

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("what", nargs="*", help="table1, table2, real, speed; all if none")
parser.add_argument("--repeats", type=int, default=3)
arguments = parser.parse_args()
what = arguments.what or ["table1", "table2", "real", "speed"]
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    if "table1" in what:
        print_synthetic(arguments.repeats)
    if "table2" in what:
        print_drifting(arguments.repeats)
    if "real" in what:
        print_real()
    if "speed" in what:
        print_speed()
