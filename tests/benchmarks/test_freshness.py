"""Every number that a page of the papers shows follows from the code as it is.

A number whose source has changed since it was measured must be measured again, or its
page must say that it is older than the code: ``make papers-refresh``.
"""

import json
from pathlib import Path

import pytest

pytest.importorskip("benchmarks.papers.protocol", reason="needs the repository's root")

from benchmarks.papers import sources
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


def test_fingerprints_are_of_code_alone():
    code = 'X = 1\ndef f(x):\n    """Say."""\n    return x + X\n'
    same = 'X = 1  # one\n\n\ndef f(x):\n    """Tell."""\n    return x + X'
    assert sources.fingerprint(code) != sources.fingerprint(code.replace("+", "-"))
    prose = "NOTE = 'A sentence for readers that may be changed.'"
    other = prose.replace("changed", "replaced")
    assert sources.fingerprint(prose) == sources.fingerprint(other)
    assert sources.fingerprint(same) == sources.fingerprint(code)


def test_modules_that_a_run_reaches():
    from benchmarks.papers.p003.methods import search_once, smoother_matrix
    from benchmarks.papers.p004.methods import errors, starts
    from benchmarks.papers.protocol import load_pair

    X, y = (part[:40] for part in load_pair("3-8"))
    setting = {"width": 2, "balance": 0.3, "C": 500.0}
    _, found = sources.trace(lambda: errors("iterSVR", X, y, setting, starts(X, 1)))
    assert "maxmargin.published.hinge.alternation" in found
    assert "benchmarks.papers.p004.methods" in found
    assert "maxmargin.published.search.evolution" not in found
    from benchmarks.papers.p003.data import Data

    data = Data(X, y, 2, 50.0)
    _, found = sources.trace(
        lambda: search_once(smoother_matrix(data, 0.5, 0.5), data, "UMC-RLS", 0)
    )
    assert "maxmargin.search.shaking" in found
    assert "maxmargin.search.objective" in found  # of compiled functions alone
    assert "maxmargin.published.hinge.alternation" not in found


def test_a_changed_source_is_named_and_measured_again(tmp_path, monkeypatch):
    path = tmp_path / "000_table_9.json"
    store = Store(path, quick=False)
    assert store.cell("a", lambda: 1) == 1
    known = store.sources
    known.note("a", {"maxmargin.published.hinge.alternation": "another"})
    assert known.why_older("a") == "maxmargin.published.hinge.alternation"
    shown = Store(path, quick=False)
    assert shown.cell("a", lambda: 2) == 1
    assert shown.shown["000_table_9", "a"] == "maxmargin.published.hinge.alternation"
    again = Store(path, quick=False, refresh="grid")
    assert again.cell("a", lambda: 2) == 2
    assert again.shown["000_table_9", "a"] == ""
    assert Store(path, quick=False, refresh="grid").cell("a", lambda: 3) == 2
