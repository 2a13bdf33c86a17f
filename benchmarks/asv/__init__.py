"""Benchmarks from commit to commit, with airspeed velocity. ``make asv``."""
