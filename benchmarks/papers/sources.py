"""Which functions a number depends on, and whether they have changed since.

While a number is measured, the functions of the library and of the benchmarks that are
called are noted. What they take unseen counts as well: compiled functions and what
these call, functions whose results are cached, constants, and the fields of classes. Of
the functions that were running when the number was asked for, those statements count on
which the call depends. Each is a piece of code with a fingerprint (`code_units`). A
piece that was moved to another module is the same piece.
"""

import ast
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

from benchmarks.papers.code_units import (
    LAMBDA,
    PART,
    Function,
    Module,
    Unit,
    all_modules,
    decorator_names,
    fingerprint,
    load_module,
    module_of,
    part_of,
    resolve_all,
    seen_now,
    statement_at,
)

# What runs the scripts and writes pages, or watches a fit, changes no number.
UNCOUNTED = {
    "maxmargin.engine.checks",
    "maxmargin.progress",
    "maxmargin.resources",
    "benchmarks.papers",
    *(
        f"benchmarks.papers.{name}"
        for name in ("__main__", "code_units", "machine", "page", "sources", "store")
    ),
    "benchmarks.papers.summary",
}
# Decorators of functions whose calls, or whose own calls, are not seen.
HIDING = {"compiled", "compiled_sum", "njit", "cache", "lru_cache"}
STARTED = time.time()


class Piece(NamedTuple):
    """A piece of code as it was."""

    unit: Unit
    fingerprint: str


def trace(measure: Callable[[], Any]) -> tuple[Any, dict[str, list[str]]]:
    """Return what is measured, and the fingerprints of the code it depends on.

    They are lists by "module:name": two lambdas, or parts of a function, share a name.
    """
    stack = _stack(sys._getframe(1))
    with _called() as codes:
        value = measure()
    found: dict[str, list[str]] = {}
    for unit, known in sorted(_needed(codes, stack)):
        _refuse_edited(unit.module)
        found.setdefault(f"{unit.module}:{unit.name}", []).append(known)
    return value, found


def changed(known: dict[str, list[str]]) -> list[str]:
    """Return the pieces of code that are not what they were."""
    return [place for place, all_of in known.items() if not _same(place, tuple(all_of))]


@cache
def _same(place: str, known: tuple[str, ...]) -> bool:
    name = place.partition(":")[2]
    module = load_module(place.partition(":")[0])
    now = module.fingerprints(name) if module is not None else frozenset()
    if not now:  # moved, or gone
        now = frozenset().union(*(one.fingerprints(name) for one in all_modules()))
    return now.issuperset(known)


@contextmanager
def _called() -> Iterator[set[CodeType]]:
    """Yield a set of what is called, without what modules call while imported."""
    codes: set[CodeType] = set()
    importing = 0

    def note(frame: FrameType, event: str, _: Any) -> None:
        nonlocal importing
        if event == "call":
            if frame.f_code.co_name == "<module>":
                importing += 1
            elif not importing:
                codes.add(frame.f_code)
        elif event == "return" and frame.f_code.co_name == "<module>":
            importing -= 1

    before = sys.getprofile()
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield codes
    finally:
        sys.setprofile(before)
        threading.setprofile(before)


def _stack(frame: FrameType | None) -> list[tuple[Unit, int]]:
    """Return the functions that are running, and their lines."""
    found = []
    while frame is not None:
        unit = _unit_of(frame.f_code)
        if unit is not None and not frame.f_code.co_name.startswith("<"):
            found.append((unit, frame.f_lineno))
        frame = frame.f_back
    return found


def _unit_of(code: CodeType) -> Unit | None:
    """Return the function or method of a code object, None if it is not ours."""
    name = module_of(Path(code.co_filename))
    if name is None or name in UNCOUNTED:
        return None
    outer = code.co_qualname.partition(".<locals>")[0]
    return Unit(name, LAMBDA if outer.endswith(LAMBDA) else outer)


def _needed(codes: set[CodeType], stack: list[tuple[Unit, int]]) -> set[Piece]:
    """Return the pieces that were called, and what they take unseen."""
    walk = _Walk({unit for unit, _ in stack})
    for code in codes:
        unit = _unit_of(code)
        if unit is not None and unit.name == LAMBDA:
            walk.add_lambda(unit.module, code.co_firstlineno)
        elif unit is not None:
            # What a running function holds is in the part of it that counts.
            if "<locals>" not in code.co_qualname or unit not in walk.running:
                walk.add(unit)
    for unit, line in stack:
        walk.add_part(unit, line)
    return walk.found


class _Walk:
    """A walk from pieces of code to those that they take by name."""

    def __init__(self, running: set[Unit]) -> None:
        self.running = running
        self.found: set[Piece] = set()
        self._known: set[tuple[Unit, bool]] = set()

    def add(self, unit: Unit, unseen: bool = False) -> None:
        """Add a piece; all that it calls, too, if its calls are not seen."""
        module = load_module(unit.module)
        if module is None or unit.module in UNCOUNTED or unit.name not in module.pieces:
            return
        if (unit, unseen) in self._known:
            return
        self._known.add((unit, unseen))
        nodes = module.pieces[unit.name]
        self.found |= {Piece(unit, one) for one in module.fingerprints(unit.name)}
        if "." in unit.name:
            self.add(Unit(unit.module, unit.name.partition(".")[0]))
        if isinstance(nodes[0], ast.ClassDef) and unseen:
            for name in module.pieces:
                if name.startswith(f"{unit.name}."):
                    self.add(Unit(module.name, name), unseen)
        if not isinstance(nodes[0], Function | ast.ClassDef):  # run when imported
            calls = [part for node in nodes for part in seen_now(node, ast.Call)]
            self._follow(module, calls, unseen=True)
        decorators = [
            one for node in nodes for one in getattr(node, "decorator_list", ())
        ]
        self._follow(module, decorators, unseen=True)
        self._follow(module, nodes, unseen)

    def add_lambda(self, name: str, line: int) -> None:
        """Add a lambda of a module."""
        module = load_module(name)
        for node in module.pieces.get(LAMBDA, []) if module is not None else []:
            if getattr(node, "lineno", 0) == line:
                self.found.add(Piece(Unit(name, LAMBDA), fingerprint([node])))
                self._follow(module, [node], unseen=False)  # type: ignore[arg-type]

    def add_part(self, unit: Unit, line: int) -> None:
        """Add the statements on which a call of a running function depends."""
        module = load_module(unit.module)
        for function in module.pieces.get(unit.name, []) if module is not None else []:
            call = statement_at(function, line)
            if module is None or call is None:
                continue
            part = part_of(function, call)
            name = Unit(unit.module, unit.name + PART)
            self.found.add(Piece(name, fingerprint(part)))
            kept = [node for node in part if not isinstance(node, ast.For)]
            self._follow(module, kept, unseen=False)
            names = [one for node in kept for one in seen_now(node, ast.Name)]
            self._follow(module, names, unseen=True)

    def _follow(self, module: Module, nodes: Iterable[ast.AST], unseen: bool) -> None:
        """Add what some code takes by name: functions only if their call is unseen."""
        for unit in resolve_all(module, nodes):
            node = load_module(unit.module).pieces[unit.name][0]  # type: ignore[union-attr]
            if isinstance(node, Function):
                hidden = unseen or bool(decorator_names(node) & HIDING)
                if hidden and unit not in self.running:
                    self.add(unit, unseen=True)
            else:
                self.add(unit, unseen and isinstance(node, ast.ClassDef))


def _refuse_edited(name: str) -> None:
    """Raise an error if a module was edited while its numbers were measured."""
    if _modified(name) > STARTED:
        raise RuntimeError(
            f"{name} was edited while its numbers were measured: start again, and "
            "measure in a copy of the repository if you want to edit meanwhile"
        )


def _modified(name: str) -> float:
    spec = find_spec(name)
    assert spec is not None
    assert spec.origin is not None
    return os.stat(spec.origin).st_mtime
