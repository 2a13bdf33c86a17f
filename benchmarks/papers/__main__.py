"""Run the tables and figures of the papers: ``make papers``, ``make papers-000``, ...

Each script has a ``TITLE`` and a function ``run(store, page)``. Results go to
``docs/papers``, those of a quick run (smaller problems, fewer repetitions, about five
minutes for all) to ``docs/papers/quick``. Numbers are kept in ``results``: a run that
was stopped goes on where it was. A script that fails does not stop the others.

One number alone, at the parameters that its page names, or with ``--grid`` with the
parameters chosen anew::

    python -m benchmarks.papers 000_table_1 --cell "3-8 EvoMMC"
"""

import argparse
import pkgutil
import sys
import time
import traceback
from importlib import import_module
from pathlib import Path

import matplotlib as mpl

from benchmarks.papers import p000, p001, p002, p003, p004
from benchmarks.papers.machine import describe_machine
from benchmarks.papers.page import Page, describe
from benchmarks.papers.store import OneCell, Store, Wanted, words
from benchmarks.papers.summary import remember, write_summary

PAPERS = {"000": p000, "001": p001, "002": p002, "003": p003, "004": p004}
DOCS = Path(__file__).parents[2] / "docs" / "papers"
RESULTS = Path(__file__).parent / "results"


def scripts(paper):
    """Return the modules of a paper's tables and figures by their names."""
    package = PAPERS[paper]
    names = [
        module.name
        for module in pkgutil.iter_modules(package.__path__)
        if module.name.startswith(("table", "figure", "runtime", "future"))
    ]
    return {f"{paper}_{name}": f"{package.__name__}.{name}" for name in sorted(names)}


def run_script(name, module_name, quick, **options):
    """Run one script, write its page and what the summary needs of it."""
    script = import_module(module_name)
    docs, results = (DOCS / "quick", RESULTS / "quick") if quick else (DOCS, RESULTS)
    store = Store(results / f"{name}.json", quick, **options)
    page = Page(name, script.TITLE)
    print(f"{name}: {script.TITLE}", flush=True)
    start = time.perf_counter()
    script.run(store, page)
    if store.measured:
        store.values[f"measured until {time.strftime('%Y-%m-%d')}"] = describe_machine()
        store.write()
    page.write(docs, footer(name, store))
    remember(results, page, store.missing, store.shown)
    print(f"{name}: done in {time.perf_counter() - start:.0f} s", flush=True)


def run_cell(name, module_name, wanted, quick):
    """Measure one number of a script, print it beside the stored one, write nothing."""
    script = import_module(module_name)
    results = RESULTS / "quick" if quick else RESULTS
    store = Store(results / f"{name}.json", quick, wanted=wanted)
    try:
        script.run(store, Page(name, script.TITLE))
    except OneCell as found:
        print(f"{found.key}: {describe(found.value)} ({found.seconds:.1f} s)")
        if found.stored is not None:
            print(f"stored: {describe(found.stored)}")
        return
    known = list(dict.fromkeys(store.keys))
    close = [key for key in known if set(words(wanted.name)) <= set(words(key))]
    sys.exit(
        f"{name} has no cell {wanted.name!r}: use one of\n  "
        + "\n  ".join(close or known)
    )


def footer(name, store):
    """Return how to repeat a number, and when and on what a page was measured."""
    days = [key for key in store.values if key.startswith("measured until ")]
    lines = [
        f"Run {key.removeprefix('measured ')}: {store.values[key]}." for key in days
    ]
    if store.keys:
        command = f'python -m benchmarks.papers {name} --cell "{store.keys[0]}"'
        lines.insert(0, f"One number of this page alone: `{command}`.")
    older = [key for (_, key), reason in store.shown.items() if reason]
    if older and not store.quick:
        which = "all" if len(older) == len(store.shown) else "; ".join(older)
        lines.append(
            f"Older than the code, {len(older)} of {len(store.shown)} numbers: {which}."
        )
    lines += [f"Skipped: {reason}" for reason in sorted(set(store.missing.values()))]
    if store.quick:
        lines.insert(0, "A quick run: smaller problems, fewer repetitions.")
    return "\n\n".join(lines)


def make_parser():
    """Return the parser of the arguments."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "names", nargs="*", help="papers (000 ... 004) or scripts (000_table_1); all"
    )
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--fresh", action="store_true", help="forget earlier numbers")
    parser.add_argument(
        "--pages", action="store_true", help="write what is known, measure nothing"
    )
    parser.add_argument(
        "--refresh",
        action="store_true",
        help="measure what is older than the code anew, its parameters chosen anew",
    )
    parser.add_argument(
        "--at-settings",
        action="store_true",
        help="with --refresh: at the parameters that were chosen before",
    )
    parser.add_argument(
        "--match",
        default="",
        help="measure only numbers whose name matches this regular expression",
    )
    parser.add_argument("--cell", help="measure this number of one script alone")
    parser.add_argument(
        "--grid", action="store_true", help="choose the parameters of the cell anew"
    )
    return parser


def main():
    """Run what is asked for."""
    parser = make_parser()
    given = parser.parse_args()
    everything = {k: v for paper in PAPERS for k, v in scripts(paper).items()}
    chosen = given.names or list(PAPERS)
    unknown = [name for name in chosen if name not in {*PAPERS, *everything}]
    if unknown:
        parser.error(f"{unknown[0]} is none of {', '.join([*PAPERS, *everything])}")
    mpl.use("Agg")
    if given.cell:
        if len(chosen) != 1 or chosen[0] not in everything:
            parser.error("--cell needs the name of one script, such as 000_table_1")
        wanted = Wanted(given.cell, given.grid)
        run_cell(chosen[0], everything[chosen[0]], wanted, given.quick)
        return
    refresh = "settings" if given.at_settings else "grid"
    refresh = refresh if given.refresh else None
    failed = []
    for name, module_name in everything.items():
        if name in chosen or name[:3] in chosen:
            try:
                run_script(
                    name,
                    module_name,
                    given.quick,
                    fresh=given.fresh,
                    measures=not given.pages,
                    refresh=refresh,
                    match=given.match,
                )
            except Exception:
                traceback.print_exc()
                failed.append(name)
    write_summary(
        DOCS / "quick" if given.quick else DOCS,
        RESULTS / "quick" if given.quick else RESULTS,
    )
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
