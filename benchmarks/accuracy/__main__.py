"""Run with ``make bench-accuracy``; results are kept, so that a run can be resumed.

``python -m benchmarks.accuracy --suite shapes --methods maxmargin --fresh`` runs a part
anew; ``python -m benchmarks.accuracy report`` writes the pages from what there is.
"""

import argparse

from benchmarks.accuracy.plan import ALL_SUITES, METHODS, PLANS, jobs_of
from benchmarks.accuracy.run import run_method
from benchmarks.accuracy.store import RESULTS, Store
from benchmarks.accuracy.summary import part_agreement, score_table, seed_agreement
from benchmarks.accuracy.tables import with_worst


def parse_arguments():
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("action", nargs="?", choices=("run", "report"), default="run")
    parser.add_argument("--suite", nargs="+", choices=ALL_SUITES, default=ALL_SUITES)
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument(
        "--only", nargs="+", choices=PLANS, default=list(PLANS), help="what to measure"
    )
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
            what = "count" if METHODS[method].finds_number else "accuracy"
            names, scores = score_table(results, suite, [method], what)
            if not names:
                continue
            line = f"{suite}, {method}: ARI {scores.mean():.4f} over {len(names)} sets"
            seeds = seed_agreement(results, suite, method, what)
            parts = part_agreement(results, suite, method)
            line += f"; seeds {with_worst(seeds)}" if seeds else ""
            line += f"; parts {with_worst(parts)}" if parts else ""
            print(line)


def write_pages(results):
    """Write the pages of the documentation."""
    from benchmarks.accuracy.accuracy_page import write_accuracy_page
    from benchmarks.accuracy.count_page import write_count_page

    write_accuracy_page(results)
    write_count_page(results)


def main():
    """Run what was asked for and print means, or write the pages."""
    options = parse_arguments()
    store = Store(options.results)
    if options.action == "report":
        write_pages(store.read())
        return
    for method in options.methods:
        jobs = jobs_of(method, options.suite, options.only, options.sets, options.seeds)
        run_method(store, method, jobs, options.fresh, options.jobs)
    print_means(store.read(), options.suite, options.methods)


if __name__ == "__main__":
    main()
