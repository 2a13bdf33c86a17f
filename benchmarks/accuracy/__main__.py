"""Run with ``make bench-accuracy``; results are kept, so that a run can be resumed.

``python -m benchmarks.accuracy --suite shapes --methods maxmargin --fresh`` runs a part
anew; ``python -m benchmarks.accuracy report`` writes the pages from what there is.
"""

import argparse

from benchmarks.accuracy.methods import METHODS
from benchmarks.accuracy.run import SUITES_OF, jobs_of, run_method
from benchmarks.accuracy.store import RESULTS, Store
from benchmarks.accuracy.summary import part_agreement, score_table, seed_agreement


def parse_arguments():
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("action", nargs="?", choices=("run", "report"), default="run")
    suites = sorted({suite for names in SUITES_OF.values() for suite in names})
    parser.add_argument("--suite", nargs="+", choices=suites, default=suites)
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument(
        "--only", nargs="+", choices=SUITES_OF, default=list(SUITES_OF),
        help="what to measure",
    )  # fmt: skip
    parser.add_argument("--sets", nargs="+", help="names of tasks, by default all")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    parser.add_argument(
        "--fresh", action="store_true", help="forget results of what is run"
    )
    parser.add_argument("--results", default=RESULTS, help="file of the results")
    return parser.parse_args()


def print_means(results, suites, methods):
    """Print the means of the suites."""
    for suite in suites:
        for method in methods:
            names, scores = score_table(results, suite, [method])
            if not names:
                continue
            line = f"{suite}, {method}: ARI {scores.mean():.4f} over {len(names)} sets"
            for title, found in (
                ("seeds", seed_agreement(results, suite, method)),
                ("parts", part_agreement(results, suite, method)),
            ):
                if found:
                    line += (
                        f"; {title} {found[0]:.4f} (worst {found[1]:.3f} {found[2]})"
                    )
            print(line)


def main():
    """Run what was asked for, then print means; or write the pages."""
    options = parse_arguments()
    store = Store(options.results)
    if options.action == "run":
        for method in options.methods:
            jobs = jobs_of(
                method, options.suite, options.only, options.sets, options.seeds
            )
            run_method(store, method, jobs, options.fresh, options.jobs)
        print_means(store.read(), options.suite, options.methods)


if __name__ == "__main__":
    main()
