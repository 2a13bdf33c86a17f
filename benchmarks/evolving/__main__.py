"""Run ``python -m benchmarks.evolving [real speed]``; the paper is in papers/p002."""

import argparse
import warnings

from benchmarks.evolving.real import print_real
from benchmarks.evolving.speed import print_speed

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("what", nargs="*", help="real, speed; both if none")
arguments = parser.parse_args()
what = arguments.what or ["real", "speed"]
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    if "real" in what:
        print_real()
    if "speed" in what:
        print_speed()
