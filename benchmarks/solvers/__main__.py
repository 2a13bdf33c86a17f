"""Run every benchmark of the solvers, one after the other. ``make bench-solvers``."""

from importlib import import_module
from importlib.util import find_spec

PARTS = ("evolution", "cutting_plane", "iterative")


def main():
    """Run the parts that are there."""
    for part in PARTS:
        name = f"benchmarks.solvers.{part}"
        if find_spec(name) is None:
            continue
        print(f"\n== {part} ==", flush=True)
        import_module(name).main()


if __name__ == "__main__":
    main()
