"""Every number that a page of the papers shows follows from the code as it is.

A number whose code has changed since it was measured must be measured again, or its
page must say that it is older than the code: ``make papers-refresh``.
"""

import ast
import json
import sys
import textwrap
from pathlib import Path

import pytest

pytest.importorskip("benchmarks.papers.protocol", reason="needs the repository's root")

from benchmarks.papers import code_units, sources
from benchmarks.papers.store import Sources, Store

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "papers" / "results"
PAGES = sorted((RESULTS / "pages").glob("*.json"))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_page_shows_no_number_that_is_older_than_the_code(path):
    page = json.loads(path.read_text())
    stale = []
    for table, keys in page["fresh"].items():
        known = Sources(RESULTS / "sources" / f"{table}.json")
        for key in keys:
            why = known.why_older(key)
            if why:
                stale.append(f"{table}, {key!r}: changed {why}")
    assert not stale, "run make papers-refresh:\n" + "\n".join(stale)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_page_names_what_is_older(path):
    page = json.loads(path.read_text())
    older = sum(map(len, page["older"].values()))
    text = (ROOT / "docs" / "papers" / f"{path.stem}.md").read_text()
    assert (f"Older than the code, {older} of " in text) == (older > 0)


def fingerprint(code):
    return code_units.fingerprint(ast.parse(textwrap.dedent(code)).body)


def test_fingerprints_are_of_code_alone():
    code = 'def f(x):\n    """Say."""\n    return x + X\n'
    same = 'def f(x: int) -> int:\n    """Tell."""\n    return x + X  # a sum'
    assert fingerprint(code) == fingerprint(same)
    assert fingerprint(code) != fingerprint(code.replace("+", "-"))
    prose = "NOTE = 'A sentence for readers that may be changed.'"
    assert fingerprint(prose) == fingerprint(prose.replace("changed", "replaced"))
    told = "def f(x):\n with progress.stage(0, 1):\n  check_x(x)\n  return x"
    assert fingerprint(told) == fingerprint("def f(x):\n    return x")
    assert fingerprint("y = check_x(x)") != fingerprint("y = x")
    lazy = "def f():\n    from maxmargin.a import g\n    return g()"
    assert fingerprint(lazy) == fingerprint(lazy.replace("maxmargin.a", "maxmargin.b"))


def test_pieces_that_a_run_reaches():
    from benchmarks.papers.p003.data import Data
    from benchmarks.papers.p003.methods import search_once, smoother_matrix
    from benchmarks.papers.p004.methods import errors, starts
    from benchmarks.papers.protocol import load_pair

    X, y = (part[:40] for part in load_pair("3-8"))
    setting = {"width": 2, "balance": 0.3, "C": 500.0}
    _, found = sources.trace(lambda: errors("iterSVR", X, y, setting, starts(X, 1)))
    assert "maxmargin.published.hinge.alternation:alternate" in found
    assert "benchmarks.papers.p004.methods:errors" in found
    assert "benchmarks.papers.p004.methods:cut_at" not in found
    assert "maxmargin.published.search.evolution:evolve" not in found

    data = Data(X, y, 2, 50.0)
    _, found = sources.trace(
        lambda: search_once(smoother_matrix(data, 0.5, 0.5), data, "UMC-RLS", 0)
    )
    assert "maxmargin.search.shaking:shake" in found
    assert "maxmargin.search.objective:share" in found  # of compiled functions alone
    assert "maxmargin.search.shaking:DECAY" in found
    assert "maxmargin.compiled:compiled" in found
    assert "maxmargin.published.hinge.alternation:alternate" not in found


SCRIPT = """
    from functools import cache
    from maxmargin.compiled import compiled
    FACTOR, OTHER = 3, 4
    LIMIT = FACTOR
    SCALES = {"plain": lambda x: x * LIMIT, "other": lambda x: x}

    @compiled
    def inner(x):
        return x + 1

    @compiled
    def outer(x):
        return inner(x) * 2

    @cache
    def loaded():
        return prepared()

    def prepared():
        return 5

    def unrelated():
        return OTHER

    def direct(x):
        return outer(x) + loaded()

    def shown(value):
        return str(value)

    class Model:
        start = 1

        def fit(self):
            return direct(self.start)

        def predict(self):
            return 0

    def run(store, page):
        scale = SCALES["plain"]
        rows = prepared()
        title = "a title"
        value = store.cell("a", lambda: scale(Model().fit() + rows))
        page.text(title)
        return value
"""


class Script:
    """A module of a script that can be edited, moved and run."""

    def __init__(self, folder, monkeypatch):
        self.folder, self.monkeypatch = folder, monkeypatch
        package = folder / "benchmarks" / "papers"
        roots = code_units.ROOTS | {"benchmarks": folder}
        monkeypatch.setattr(code_units, "ROOTS", roots)
        monkeypatch.setattr(sources, "STARTED", sources.time.time() + 100)
        package.mkdir(parents=True)
        self.package = package
        self.store = folder / "results" / "table.json"

    def write(self, code, name="script"):
        for file in self.package.glob("*.py"):
            file.unlink()
            sys.modules.pop(f"benchmarks.papers.{file.stem}", None)
        (self.package / f"{name}.py").write_text(textwrap.dedent(code))
        for cached in (code_units.load_module, code_units.all_modules, sources._same):
            cached.cache_clear()

    def run(self, name="script"):
        from importlib import import_module

        import benchmarks.papers

        path = [str(self.package), *benchmarks.papers.__path__]
        self.monkeypatch.setattr(benchmarks.papers, "__path__", path)
        store = Store(self.store, quick=False, refresh="grid")
        import_module(f"benchmarks.papers.{name}").run(store, Quiet())
        return store

    def why_older(self):
        import benchmarks.papers

        path = [str(self.package), *benchmarks.papers.__path__]
        self.monkeypatch.setattr(benchmarks.papers, "__path__", path)
        return Sources(self.folder / "results" / "sources" / "table.json").why_older(
            "a"
        )


class Quiet:
    """A page that keeps nothing."""

    def text(self, _):
        """Take a text."""


@pytest.fixture
def script(tmp_path, monkeypatch):
    made = Script(tmp_path, monkeypatch)
    made.write(SCRIPT)
    assert made.run().values["a"] == 3 * ((2 * 2 + 5) + 5)
    assert made.why_older() == ""
    yield made
    monkeypatch.undo()
    made.write("")


@pytest.mark.parametrize(
    ("before", "after", "named"),
    [
        ("x + 1", "x + 2", "inner"),  # called by a compiled function
        ("inner(x) * 2", "inner(x) * 3", "outer"),
        ("return 5", "return 6", "prepared"),  # behind a cache, and before the cell
        ("outer(x) + loaded()", "outer(x) - loaded()", "direct"),
        ("direct(self.start)", "-direct(self.start)", "Model.fit"),
        ("start = 1", "start = 2", "Model"),
        ("LIMIT = FACTOR", "LIMIT = FACTOR + 1", "LIMIT"),
        ("FACTOR, OTHER = 3, 4", "FACTOR, OTHER = 2, 4", "FACTOR"),
        ('SCALES["plain"]', 'SCALES["other"]', "run (part)"),
        ("+ rows)", "- rows)", "run (part)"),
    ],
)
def test_a_change_of_what_was_reached_is_named(script, before, after, named):
    assert before in SCRIPT
    script.write(SCRIPT.replace(before, after))
    why = script.why_older().split(", ")
    assert f"benchmarks.papers.script:{named}" in why
    assert len(why) <= 3  # other names that are bound in the same statement


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("return OTHER", "return OTHER + 1"),
        ("return str(value)", "return repr(value)"),
        ("return 0", "return 1"),
        ('"a title"', '"another"'),
        ("page.text(title)", "page.text(title.upper())"),
        ("return value", "return [value]"),
        ("return inner(x) * 2", '"""Say."""\n        return inner(x) * 2  # why'),
    ],
)
def test_a_change_elsewhere_is_no_change(script, before, after):
    assert before in SCRIPT
    script.write(SCRIPT.replace(before, after))
    assert script.why_older() == ""


def test_moved_code_is_the_same_code(script):
    script.write(SCRIPT, "moved")
    assert script.why_older() == ""
    script.write(SCRIPT.replace("x + 1", "x + 2"), "moved")
    assert script.why_older() == "benchmarks.papers.script:inner"


def test_code_that_is_edited_while_it_runs_is_refused(script, monkeypatch):
    monkeypatch.setattr(sources, "STARTED", 0.0)
    script.store.unlink()
    with pytest.raises(RuntimeError, match="was edited while its numbers"):
        script.run()


def test_a_changed_source_is_named_and_measured_again(tmp_path):
    path = tmp_path / "000_table_9.json"
    store = Store(path, quick=False)
    assert store.cell("a", lambda: 1) == 1
    place = "maxmargin.published.hinge.alternation:alternate"
    store.sources.note("a", {place: ["another"]})
    assert Sources(tmp_path / "sources" / path.name).why_older("a") == place
    shown = Store(path, quick=False)
    assert shown.cell("a", lambda: 2) == 1
    assert shown.shown["000_table_9", "a"] == place
    other = Store(path, quick=False, refresh="grid", match="b$")
    assert other.cell("a", lambda: 2) == 1
    again = Store(path, quick=False, refresh="grid", match="a$")
    assert again.cell("a", lambda: 2) == 2
    assert again.shown["000_table_9", "a"] == ""
    assert Store(path, quick=False, refresh="grid").cell("a", lambda: 3) == 2


def test_equal_sets_are_kept_once(tmp_path):
    known = Sources(tmp_path / "table.json")
    known.note("a", {"m:f": ["1"], "m:g": ["2"]})
    known.note("b", {"m:f": ["1"], "m:g": ["2"]})
    known.note("c", {"m:f": ["1"], "m:<lambda>": ["3", "4"]})
    again = Sources(tmp_path / "table.json")
    assert again.cells == {"a": 0, "b": 0, "c": 1}
    assert len(again.sets) == 2
    assert len(again.pieces) == 4
    again.note("c", {"m:f": ["1"], "m:g": ["2"]})
    kept = Sources(tmp_path / "table.json")
    assert kept.cells == {"a": 0, "b": 0, "c": 0}
    assert sorted(kept.pieces) == ["m:f 1", "m:g 2"]
