"""Run with ``make bench-classification``; name parts to run some of them only."""

import argparse

from benchmarks.classification import beside_svc, checkerboard, faces

PARTS = {
    "checkerboard": checkerboard.report,
    "faces": faces.report,
    "beside_svc": beside_svc.report,
}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="part", help=", ".join(PARTS))
    chosen = parser.parse_args().parts or list(PARTS)
    if not set(chosen) <= set(PARTS):
        parser.error(f"parts are {', '.join(PARTS)}")
    for part in chosen:
        PARTS[part]()
        print()
