"""The code in the documentation runs, and its links and names of files are valid."""

import re
import warnings
from pathlib import Path

import pytest

import maxmargin

ROOT = Path(__file__).parents[2]
PACKAGE = Path(maxmargin.__file__).parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs" / "guide").glob("*.md"))]
LINKED = [*ROOT.glob("*.md"), *sorted((ROOT / "docs").rglob("*.md"))]
# Pages that `make docs` generates.
GENERATED = ("docs/api/", "docs/gallery/", "docs/_build/")

BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
# `folder/file.py`, and `function` (`folder/file.py`)
SOURCE_FILE = re.compile(r"`((?:\w+/)+\w+\.py)`")
FUNCTION = re.compile(r"`(?:\w+\.)?(\w+)`\s+\(`((?:\w+/)*\w+\.py)`\)")
# Figures of accuracy, which must stand on a page of measurements.
FIGURE = re.compile(r"(?<![\d.])\d\.\d{3}(?!\d)")
QUOTING = [ROOT / "README.md", ROOT / "docs" / "guide" / "is_this_for_me.md"]


# Libraries that are not in the test extra: without them, pages that import them are
# skipped.
OPTIONAL = ("bertopic", "scanpy")


def name_of(page):
    return str(page.relative_to(ROOT))


def code_of(page, without=()):
    """Return the blocks of a page as one program, with the line numbers of the page.

    Blocks that have one of the words ``without`` are left out.
    """
    text = page.read_text()
    lines = [""] * (text.count("\n") + 1)
    for block in BLOCK.finditer(text):
        if any(re.search(rf"\b{word}\b", block[1]) for word in without):
            continue
        first = text[: block.start(1)].count("\n")
        own = block[1].splitlines()
        lines[first : first + len(own)] = own
    return "\n".join(lines)


def anchors_of(page):
    """Return the anchors of the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", page.read_text()), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", one.lower()).replace(" ", "-") for one in headings}


@pytest.mark.parametrize(
    "page", [page for page in PAGES if code_of(page).strip()], ids=name_of
)
def test_code_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    code = code_of(page)
    program = compile(code, str(page), "exec")
    with warnings.catch_warnings():
        for name in OPTIONAL:
            if re.search(rf"^(import|from) {name}\b", code, re.MULTILINE):
                warnings.simplefilter(
                    "ignore"
                )  # those libraries have some of their own
                pytest.importorskip(name, reason=f"needs {name}")
        exec(program, {"__name__": "page"})


def test_the_guide_has_code():
    assert len(PAGES) > 5
    assert "MaxMarginClustering" in code_of(ROOT / "README.md")


@pytest.mark.parametrize("page", LINKED, ids=name_of)
def test_links_are_valid(page):
    broken = []
    for link in LINK.findall(FENCE.sub("", page.read_text())):
        if re.match(r"\w+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if name_of(target).startswith(GENERATED):
            continue
        if not target.exists() or (anchor and anchor not in anchors_of(target)):
            broken.append(link)
    assert broken == []


@pytest.mark.parametrize("page", LINKED, ids=name_of)
def test_named_files_exist(page):
    folders = (ROOT, PACKAGE)
    missing = [
        file
        for file in SOURCE_FILE.findall(page.read_text())
        if not any((folder / file).exists() for folder in folders)
    ]
    assert missing == []


def test_the_walk_names_functions_in_their_files():
    found = FUNCTION.findall((ROOT / "CONTRIBUTING.md").read_text())
    assert len(found) > 20
    missing = [
        name
        for name, file in found
        if not re.search(
            rf"^ *(def|class) {name}\b|^{name}(: .*)? = ",
            (PACKAGE / file).read_text(),
            re.MULTILINE,
        )
    ]
    assert missing == []


def test_the_map_has_every_folder_and_no_other():
    text = (ROOT / "CONTRIBUTING.md").read_text()
    rows = text.partition("## Map of the code")[2].partition('\n\n"Suffice"')[0]
    first = [line.split("|")[1] for line in rows.splitlines() if line.startswith("| `")]
    named = sorted(re.findall(r"`(\w+)/`", "".join(first)))
    assert named == sorted(one.parent.name for one in PACKAGE.glob("*/__init__.py"))
    modules = re.findall(r"`(\w+\.py)`", "".join(first))
    there = {one.name for one in PACKAGE.glob("*.py")}
    assert sorted(modules) == sorted(there - {"__init__.py", "__main__.py"})


@pytest.mark.parametrize("page", QUOTING, ids=name_of)
def test_quoted_figures_are_measured(page):
    measured = "".join(
        one.read_text() for one in (ROOT / "docs" / "measured").glob("*.md")
    )
    known = set(FIGURE.findall(measured))
    quoted = FIGURE.findall(page.read_text())
    assert len(quoted) > 5
    assert [one for one in quoted if one not in known] == []


def test_readme_and_index_do_not_repeat_each_other():
    pages = [ROOT / "README.md", ROOT / "docs" / "index.md"]
    lines = [
        {one for one in page.read_text().splitlines() if len(one.split()) > 3}
        for page in pages
    ]
    assert lines[0] & lines[1] == set()
