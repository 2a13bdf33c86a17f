"""Run with ``make bench-classification``; the paper's tables: ``make papers-001``."""

from benchmarks.classification import beside_svc

if __name__ == "__main__":
    beside_svc.report()
