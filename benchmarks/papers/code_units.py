"""The source code in pieces, each with a fingerprint of what it says.

A piece is a function, a method, a class without its methods, a constant of a module, a
lambda of a module, or the part of a function on which one of its calls depends. Its
fingerprint is of the code alone: comments, docstrings, annotations, prose, imports,
checks of what is given, the progress that is told and the module in which it stands do
not matter.
"""

import ast
import copy
import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import maxmargin

PACKAGES = ("maxmargin", "benchmarks")
ROOTS = {
    "maxmargin": Path(maxmargin.__file__).parents[1],
    "benchmarks": Path(__file__).parents[2],
}
PROSE = 40  # a text with blanks that is longer than this is for readers
# What a script hands from function to function, and no number depends on.
HANDED_ON = {"store", "page"}
LAMBDA, PART = "<lambda>", " (part)"
Function = ast.FunctionDef | ast.AsyncFunctionDef


class Unit(NamedTuple):
    """Where a piece of code stands."""

    module: str
    name: str


class Module:
    """The pieces of a module by name, and what it imports."""

    def __init__(self, name: str, tree: ast.Module):
        self.name = name
        self.pieces: dict[str, list[ast.AST]] = {}
        self.imports: dict[str, tuple[str, str | None]] = {}
        for node in _statements(tree.body):
            self._add(node)

    def _add(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.asname:
                    self.imports[alias.asname] = alias.name, None
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                self.imports[alias.asname or alias.name] = str(node.module), alias.name
        elif isinstance(node, Function):
            self._keep(node.name, node)
        elif isinstance(node, ast.ClassDef):
            self._keep(node.name, _header(node))
            for one in node.body:
                if isinstance(one, Function):
                    self._keep(f"{node.name}.{one.name}", one)
        else:
            for name in bound_names(node):
                self._keep(name, node)
        for part in ast.walk(_header(node)):
            if isinstance(part, ast.Lambda) and not isinstance(node, Function):
                self._keep(LAMBDA, part)

    def _keep(self, name: str, node: ast.AST) -> None:
        self.pieces.setdefault(name, []).append(node)

    @cache  # noqa: B019 (modules live as long as the process)
    def fingerprints(self, name: str) -> frozenset[str]:
        """Return the fingerprint of a piece; several for lambdas and parts."""
        if name.endswith(PART):
            functions = self.pieces.get(name.removesuffix(PART), [])
            return frozenset(
                fingerprint(part_of(function, call))
                for function in functions
                for call in _statements(getattr(function, "body", []))
            )
        nodes = self.pieces.get(name, [])
        if name == LAMBDA:
            return frozenset(fingerprint([node]) for node in nodes)
        return frozenset([fingerprint(nodes)] if nodes else [])


@cache
def load_module(name: str) -> Module | None:
    """Return a module of ours, None for others."""
    if name.partition(".")[0] not in PACKAGES:
        return None
    try:
        spec = find_spec(name)
    except ModuleNotFoundError:
        return None
    if spec is None or spec.origin is None:
        return None
    return Module(name, ast.parse(Path(spec.origin).read_text()))


def module_of(file: Path) -> str | None:
    """Return the name of the module of a file of ours, None for other files."""
    for package, root in ROOTS.items():
        if file.is_relative_to(root / package):
            parts = file.relative_to(root).with_suffix("").parts
            return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    return None


@cache
def all_modules() -> list[Module]:
    """Return all modules of ours."""
    files = [
        f for package, root in ROOTS.items() for f in (root / package).rglob("*.py")
    ]
    found = [load_module(str(module_of(file))) for file in sorted(files)]
    return [module for module in found if module is not None]


def resolve(module: Module, name: str) -> Unit | None:
    """Return where a global name of a module comes from, None if it is not ours."""
    if name in module.pieces:
        return Unit(module.name, name)
    if name not in module.imports:
        return None
    source, taken = module.imports[name]
    if taken is None or load_module(f"{source}.{taken}") is not None:
        return None  # a module
    other = load_module(source)
    if other is None:
        return None
    found = resolve(other, taken)
    if found is None:  # a public name, imported when it is first used
        value = getattr(import_module(source), taken)
        found = Unit(value.__module__, value.__qualname__)
    return found


def resolve_all(module: Module, nodes: Iterable[ast.AST]) -> set[Unit]:
    """Return what of ours some code takes by name."""
    nodes = list(nodes)
    own = {one for node in nodes for one in _local_names(node)}
    found = set()
    for node in nodes:
        for part in ast.walk(node):
            unit = None
            if isinstance(part, ast.Name) and part.id not in own:
                unit = resolve(module, part.id)
            elif isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name):
                source, taken = module.imports.get(part.value.id, ("", None))
                other = load_module(f"{source}.{taken}" if taken else source)
                unit = resolve(other, part.attr) if other is not None else None
            if unit is not None:
                found.add(unit)
    return found


def part_of(function: ast.AST, call: ast.stmt) -> list[ast.AST]:
    """Return a statement, and those of the function that bind the names it uses."""
    statements = list(_statements(getattr(function, "body", [])))
    part = {id(call): call}
    used = _used_names(call)
    grown = True
    while grown:
        grown = False
        for node in statements:
            if id(node) not in part and bound_names(node, mutated=True) & used:
                part[id(node)] = node
                used |= _used_names(node)
                grown = True
    return [_header(node) for node in statements if id(node) in part]


def statement_at(function: ast.AST, line: int) -> ast.stmt | None:
    """Return the innermost statement of a function at a line."""
    found = None
    for node in _statements(getattr(function, "body", [])):
        if node.lineno <= line <= (node.end_lineno or line):
            found = node
    return found


def seen_now(node: ast.AST, kind: type[ast.AST]) -> Iterator[ast.AST]:
    """Yield the parts of some kind that are evaluated with a statement.

    What stands in functions and lambdas is evaluated when these are called. The
    variables of comprehensions are no names of the statement.
    """
    if isinstance(node, kind):
        yield node
    if not isinstance(node, Function | ast.Lambda):
        own = (
            getattr(node, "target", None)
            if isinstance(node, ast.comprehension)
            else None
        )
        for child in ast.iter_child_nodes(node):
            if child is not own:
                yield from seen_now(child, kind)


def decorator_names(node: ast.AST) -> set[str]:
    """Return the names of the decorators of a function."""
    found = set()
    for one in getattr(node, "decorator_list", ()):
        one = one.func if isinstance(one, ast.Call) else one
        found.add(
            one.attr if isinstance(one, ast.Attribute) else getattr(one, "id", "")
        )
    return found


def fingerprint(nodes: Iterable[ast.AST]) -> str:
    """Return the fingerprint of some code."""
    written = [_written(_normalised(node)) for node in nodes]
    return hashlib.sha256("\n".join(written).encode()).hexdigest()[:10]


def _written(node: object) -> str:
    """Return code as `ast.dump` of Python 3.11 writes it; later versions differ."""
    if isinstance(node, list):
        return f"[{', '.join(map(_written, node))}]"
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = [
        f"{name}={_written(value)}"
        for name, value in ast.iter_fields(node)
        if not (value is None and getattr(type(node), name, ...) is None)
        and not (name == "type_params" and value == [])
    ]
    return f"{type(node).__name__}({', '.join(fields)})"


def _normalised(node: ast.AST) -> ast.AST:
    """Return code without what does not change what it does."""
    node = copy.deepcopy(node)
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            if len(part.value) > PROSE and " " in part.value:
                part.value = ""
        if isinstance(part, ast.arg):
            part.annotation = None
        if isinstance(part, Function):
            part.returns = None
        for name in ("body", "orelse", "finalbody"):
            if isinstance(statements := getattr(part, name, None), list):
                setattr(part, name, list(_that_matter(statements)))
    return node


def _that_matter(statements: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements that do something; those within a stage are of a run."""
    for one in statements:
        within = [item.context_expr for item in getattr(one, "items", ())]
        if isinstance(one, ast.With) and all(map(_reports, within)):
            yield from _that_matter(one.body)
        elif not _says_nothing(one):
            yield one


def _says_nothing(node: ast.stmt) -> bool:
    """Tell whether a statement is an import, a docstring, a check, or pass."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return isinstance(node.value.value, str)
    if isinstance(node, ast.Expr):
        return _reports(node.value)
    return isinstance(node, ast.Import | ast.ImportFrom | ast.Pass)


def _reports(node: ast.expr) -> bool:
    """Tell whether a call tells the progress, or checks what is given."""
    call = node.func if isinstance(node, ast.Call) else None
    if isinstance(call, ast.Attribute) and isinstance(call.value, ast.Name):
        return call.value.id == "progress"
    return isinstance(call, ast.Name) and call.id.startswith("check_")


def _header(node: ast.AST) -> ast.AST:
    """Return a statement without the statements in it; of a class, the methods."""
    if isinstance(node, Function) or not hasattr(node, "body"):
        return copy.deepcopy(node)
    if isinstance(node, ast.Lambda | ast.IfExp):
        return copy.deepcopy(node)
    kept = []
    if isinstance(node, ast.ClassDef):
        kept = [one for one in node.body if not isinstance(one, Function)]
    shallow = copy.copy(node)
    shallow.body = kept  # type: ignore[attr-defined]
    for name in ("orelse", "finalbody", "handlers"):
        if hasattr(shallow, name):
            setattr(shallow, name, [])
    return copy.deepcopy(shallow)


def _statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield statements and those in their blocks; functions and classes are whole."""
    for node in body:
        yield node
        if not isinstance(node, Function | ast.ClassDef):
            for name in ("body", "orelse", "finalbody"):
                yield from _statements(getattr(node, name, []))
            for handler in getattr(node, "handlers", []):
                yield from _statements(handler.body)


def bound_names(node: ast.stmt, mutated: bool = False) -> set[str]:
    """Return the names that a statement binds, or also those whose value it changes."""
    if isinstance(node, Function | ast.ClassDef):
        return {node.name}
    found = {
        one.id
        for one in seen_now(_header(node), ast.Name)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    }
    if mutated:
        targets = [*getattr(node, "targets", []), getattr(node, "target", None)]
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            targets.append(node.value.func)
        for target in targets:
            while isinstance(target, ast.Subscript | ast.Attribute):
                target = target.value
            if isinstance(target, ast.Name):
                found.add(target.id)
    return found - HANDED_ON


def _used_names(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.For):  # which one of them it is stands in the key
        return set()
    names = [one for one in ast.walk(_header(node)) if isinstance(one, ast.Name)]
    return {one.id for one in names if isinstance(one.ctx, ast.Load)} - HANDED_ON


def _local_names(node: ast.AST) -> set[str]:
    """Return the arguments and variables of a function."""
    if not isinstance(node, Function | ast.Lambda):
        return set()
    found = {one.arg for one in ast.walk(node) if isinstance(one, ast.arg)}
    for one in ast.walk(node):
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
            found.add(one.id)
    return found
