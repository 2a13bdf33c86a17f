"""Files and folders of the package that a call walks through.

Counts the calls of Python functions of the package, in the order in which they begin:
the distinct files, and how often the folder changes from one call to the next. The same
is counted for the first call of each function alone, the order in which one reads them.
Compiled functions are left out, and generated ones have no file.
"""

import argparse
import itertools
import sys
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np

import maxmargin
from maxmargin import EvolvingMaxMarginClustering, MaxMarginClustering

PACKAGE = Path(maxmargin.__file__).parent
# The most files and changes of folder that each of the calls below may have.
LIMITS = {
    "MaxMarginClustering().fit, 1000 rows": (20, 26),
    "MaxMarginClustering().fit, 20,000 rows": (24, 34),
    "EvolvingMaxMarginClustering().partial_fit, 1000 rows": (24, 34),
}


def trace(call: Callable[[], object]) -> list[tuple[str, str]]:
    """Return the file and the name of each function of the package, as called."""
    calls: list[tuple[str, str]] = []
    prefix, compiled = f"{PACKAGE}/", compiled_functions()

    def note(frame, event, _):
        code = frame.f_code
        if event != "call" or (code.co_filename, code.co_name) in compiled:
            return
        if code.co_filename.startswith(prefix):
            calls.append((code.co_filename[len(prefix) :], code.co_qualname))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(before)
    return calls


def compiled_functions() -> set[tuple[str, str]]:
    """Return file and name of what Numba compiles: it reports calls like Python's."""
    modules = [
        module for name, module in sys.modules.items() if name.startswith("maxmargin")
    ]
    functions = [one for module in modules for one in vars(module).values()]
    codes = [one.py_func.__code__ for one in functions if hasattr(one, "py_func")]
    return {(code.co_filename, code.co_name) for code in codes}


def folder_of(file: str) -> str:
    """Return the folder of a file of the package."""
    return str(Path(file).parent)


def changes(calls: list[tuple[str, str]]) -> Counter:
    """Return how often the folder changes, by the folder before and after."""
    folders = [folder_of(file) for file, _ in calls]
    pairs = itertools.pairwise(folders)
    return Counter((one, other) for one, other in pairs if one != other)


def blobs(n_rows: int, shift: float = 0.0) -> np.ndarray:
    """Return rows of two clusters."""
    random = np.random.RandomState(0)
    return random.randn(n_rows, 4) + 4.0 * (np.arange(n_rows) % 2)[:, None] + shift


def traces() -> dict[str, list[tuple[str, str]]]:
    """Trace the calls that have limits; what is compiled is compiled before."""
    found = {}
    names = list(LIMITS)
    for name, n_rows in zip(names[:2], (1000, 20_000), strict=True):
        X = blobs(n_rows)
        MaxMarginClustering(2, random_state=0).fit(X)
        model = MaxMarginClustering(2, random_state=0)
        found[name] = trace(lambda model=model, X=X: model.fit(X))
    X, later = blobs(1000), blobs(1000, shift=0.1)
    evolving = EvolvingMaxMarginClustering(random_state=0)
    evolving.partial_fit(X).partial_fit(later)
    evolving = EvolvingMaxMarginClustering(random_state=0).partial_fit(X)
    found[names[2]] = trace(lambda: evolving.partial_fit(later))
    return found


def print_trace(name: str, calls: list[tuple[str, str]], details: bool) -> None:
    """Print the numbers of a call, and where they come from."""
    files = Counter(file for file, _ in calls)
    moves = changes(calls)
    most_files, most_changes = LIMITS[name]
    reading = sum(changes(list(dict.fromkeys(calls))).values())
    print(
        f"{name}: {len(files)} files (at most {most_files}), {sum(moves.values())} "
        f"changes of folder (at most {most_changes}), {reading} among the first calls "
        f"of functions, {len(calls)} calls"
    )
    shares = Counter(folder_of(file) for file in files)
    entered: Counter = Counter()
    for (_, folder), number in moves.items():
        entered[folder] += number
    for folder, number in shares.most_common():
        print(f"  {folder:12s} {number:3d} files, entered {entered[folder]:3d} times")
    if details:
        folder = ""
        for file, function in calls:
            line = f"    {file}: {function}"
            print(line if folder_of(file) == folder else f"  ->{line[4:]}")
            folder = folder_of(file)


def main() -> None:
    """Print files and changes of folder."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--details", action="store_true", help="print every call")
    warnings.simplefilter("ignore")
    details = parser.parse_args().details
    for name, calls in traces().items():
        print_trace(name, calls, details)


if __name__ == "__main__":
    main()
