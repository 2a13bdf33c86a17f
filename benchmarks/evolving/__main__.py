"""Run ``python -m benchmarks.evolving [real events speed]``."""

import argparse
import warnings

from benchmarks.evolving.events import print_events
from benchmarks.evolving.real import print_real
from benchmarks.evolving.speed import print_speed

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("what", nargs="*", help="real, events, speed; all if none")
arguments = parser.parse_args()
what = arguments.what or ["real", "events", "speed"]
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    if "real" in what:
        print_real()
    if "events" in what:
        print_events()
    if "speed" in what:
        print_speed()
