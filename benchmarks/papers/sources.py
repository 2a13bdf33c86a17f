"""Which source files a number depends on, and whether they have changed since.

While a number is measured, the modules of the library and of the benchmarks whose
functions are called are noted. Compiled functions call each other unseen: with a module
count those from which it takes compiled functions, and those from which it takes
constants. A module counts by its code: comments, docstrings and prose do not matter.
"""

import ast
import hashlib
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import maxmargin

PACKAGES = ("maxmargin", "benchmarks")
# What runs the scripts and writes pages changes no number.
UNCOUNTED = tuple(
    f"benchmarks.papers{name}"
    for name in ("", ".__main__", ".machine", ".page", ".sources", ".store", ".summary")
)
PROSE = 40  # a text with blanks that is longer than this is for readers
ROOTS = {
    "maxmargin": Path(maxmargin.__file__).parents[1],
    "benchmarks": Path(__file__).parents[2],
}


@contextmanager
def reached_modules() -> Iterator[set[str]]:
    """Yield a set that has, at the end, the modules whose functions were called."""
    codes: set[Any] = set()
    found: set[str] = set()
    add = codes.add

    def note(frame: Any, event: str, _: Any) -> None:
        if event == "call":
            add(frame.f_code)

    before = sys.getprofile()
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield found
    finally:
        sys.setprofile(before)
        threading.setprofile(before)
        files = {Path(code.co_filename) for code in codes}
        found |= {name for name in map(module_of, files) if name is not None}
        found |= unseen_modules(found)
        found -= set(UNCOUNTED)


def module_of(file: Path) -> str | None:
    """Return the name of the module of a file of ours, None for other files."""
    for package, root in ROOTS.items():
        if file.is_relative_to(root / package):
            parts = file.relative_to(root).with_suffix("").parts
            return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    return None


def unseen_modules(names: set[str]) -> set[str]:
    """Return the modules whose compiled functions or constants the given ones take."""
    found: set[str] = set()
    waiting = set(names)
    while waiting:
        module = sys.modules.get(waiting.pop())
        if module is None:
            continue
        taken = _compiled_sources(module) | _constant_sources(module)
        waiting |= taken - found - names
        found |= taken
    return found


def _compiled_sources(module: ModuleType) -> set[str]:
    functions = [getattr(value, "py_func", None) for value in vars(module).values()]
    return {one.__module__ for one in functions if one is not None}


def _constant_sources(module: ModuleType) -> set[str]:
    """Return where the names in capital letters come from."""
    found = set()
    for node in ast.walk(_tree(module.__name__)):
        if isinstance(node, ast.ImportFrom) and node.module:
            ours = node.module.partition(".")[0] in PACKAGES
            if ours and any(alias.name.isupper() for alias in node.names):
                found.add(node.module)
    return found


@cache
def _tree(name: str) -> ast.Module:
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        return ast.Module([], [])
    return ast.parse(Path(spec.origin).read_text())


@cache
def digest(name: str) -> str:
    """Return the fingerprint of the code of a module, "" if there is none."""
    tree = _tree(name)
    return fingerprint(ast.unparse(tree)) if tree.body else ""


def fingerprint(source: str) -> str:
    """Return the fingerprint of source code."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if len(node.value) > PROSE and " " in node.value:
                node.value = ""
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and _is_text(body[0]):
            body[0] = ast.Pass()
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest()[:10]


def _is_text(node: ast.stmt) -> bool:
    """Tell whether a statement is a docstring."""
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Constant):
        return False
    return isinstance(node.value.value, str)


def trace(measure: Callable[[], Any]) -> tuple[Any, dict[str, str]]:
    """Return what is measured, and the fingerprints of the modules it depends on."""
    with reached_modules() as names:
        value = measure()
    return value, {name: digest(name) for name in sorted(names)}


def changed(fingerprints: dict[str, str]) -> list[str]:
    """Return the modules whose code is not what it was."""
    return [name for name, known in fingerprints.items() if digest(name) != known]
