"""The code in the documentation runs, and its links and names of files are valid."""

import re
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
SOURCE_FILE = re.compile(r"`(\w+/\w+\.py)`")
FUNCTION = re.compile(r"`(?:\w+\.)?(\w+)`\s+\(`((?:\w+/)?\w+\.py)`\)")


def name_of(page):
    return str(page.relative_to(ROOT))


def code_of(page):
    """Return the blocks of a page as one program, with the line numbers of the page."""
    text = page.read_text()
    lines = [""] * (text.count("\n") + 1)
    for block in BLOCK.finditer(text):
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
    program = compile(code_of(page), str(page), "exec")
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
            rf"^ *(def|class) {name}\b|^{name} = ",
            (PACKAGE / file).read_text(),
            re.MULTILINE,
        )
    ]
    assert missing == []
