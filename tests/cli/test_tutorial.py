"""The commands that readers are shown work as printed.

``python -m tests.cli.test_tutorial`` writes what they print into the tutorial anew.
"""

import os
import re
import shlex
import tempfile
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner

from maxmargin.cli.main import main
from maxmargin.selection.stability import cluster_stability

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(console|python)\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"((?:[^\n]*\\\n)*[^\n]*)\n(.*)", re.DOTALL)
SECTION = re.compile(
    r"^## From the terminal\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL
)


def blocks_of(text):
    return [(match[1], match[2]) for match in BLOCK.finditer(text)]


def commands_of(block):
    """Return the commands of a block, each with what is printed after it."""
    parts = re.split(r"^\$ ", block.replace("\\\n", " "), flags=re.MULTILINE)[1:]
    return [tuple(part.split("\n", 1)) for part in parts]


def run(command):
    """Run a command as a shell would: this package's, or a look at a file."""
    words = shlex.split(command)
    if words[:2] == ["head", "-n"]:
        lines = Path(words[3]).read_text().splitlines()
        return "\n".join(lines[: int(words[2])])
    assert words[0] == "maxmargin", command
    result = CliRunner().invoke(main, words[1:])
    assert result.exit_code == (2 if "exists: give" in result.output else 0), (
        command + "\n" + result.output
    )
    return result.output


def shape_of(text):
    """Return text without what differs from machine to machine: numbers and gaps."""
    return [
        re.sub(r"\d+", "0", " ".join(line.split())).replace("─", "")
        for line in text.splitlines()
        if line.strip()
    ]


def without_notes(text):
    """Return text without notes, whose place among the lines is not defined."""
    lines = text.splitlines()
    return "\n".join(line for line in lines if not line.startswith("note:"))


def figures_of(text):
    """Return the numbers of a text, but for times, which differ."""
    text = re.sub(r"\d+\.\d\d s$", "", text, flags=re.MULTILINE).replace(",", "")
    return [float(number) for number in re.findall(r"\d+(?:\.\d+)?", text)]


def is_same(command, printed, shown):
    """Return True if the figures of a command are those that the page shows.

    The last digits may differ from machine to machine; all figures of a comparison do,
    since the test saves time there.
    """
    if command.split()[1] in ("compare", "info"):
        return True
    pairs = zip(figures_of(printed), figures_of(shown), strict=True)
    return all(abs(a - b) <= max(2.0 if a >= 1 else 0.01, 0.02 * a) for a, b in pairs)


@pytest.mark.parametrize("page", ["README.md", "docs/tutorial.md"])
def test_commands_work_as_printed(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    once = partial(cluster_stability, n_refits=1)  # to save time
    monkeypatch.setattr("maxmargin.cli.compare.N_PARTS", 1)
    monkeypatch.setattr("maxmargin.selection.stability.cluster_stability", once)
    text = (ROOT / page).read_text()
    if page == "README.md":
        found = SECTION.search(text)
        text = found[1] if found else ""
    for kind, block in blocks_of(text):
        if kind == "python":
            exec(compile(block, page, "exec"), {"__name__": "page"})
            continue
        for command, printed in commands_of(block):
            expected = shape_of(printed)
            output = run(command)
            shown = shape_of(output)
            if "..." in expected:
                place = expected.index("...")
                assert shown[:place] == expected[:place]
            elif expected:
                assert sorted(shown) == sorted(expected), command
                assert is_same(command, *map(without_notes, (printed, output)))


def test_the_tutorial_shows_every_command():
    text = (ROOT / "docs" / "tutorial.md").read_text()
    shown = [c for kind, block in blocks_of(text) for c, _ in commands_of(block)]
    used = {command.split()[1] for command in shown if command.startswith("maxmargin")}
    assert used >= {
        "demo",
        "info",
        "cluster",
        "predict",
        "compare",
        "classify",
        "evolve",
    }


def print_anew(match):
    """Return a block of a page with what its commands print now."""
    kind, block = match[1], match[2]
    if kind == "python":
        exec(compile(block, "page", "exec"), {"__name__": "page"})
        return match[0]
    parts = re.split(r"^\$ ", block, flags=re.MULTILINE)
    written = parts[0]
    for part in parts[1:]:
        command, printed = COMMAND.fullmatch(part).groups()
        output = run(command.replace("\\\n", " "))
        if printed.strip() and "..." not in printed:
            first = ("maxmargin cluster", "note:")  # of what is printed at once
            lines = output.splitlines()
            lines.sort(key=lambda line: not line.startswith(first))
            end = "\n\n" if printed.endswith("\n\n") else "\n"
            printed = "\n".join(line.rstrip() for line in lines).strip() + end
        written += f"$ {command}\n{printed}"
    return f"```{kind}\n{written}```"


if __name__ == "__main__":
    path = ROOT / "docs" / "tutorial.md"
    os.environ["MPLBACKEND"] = "agg"
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        path.write_text(BLOCK.sub(print_anew, path.read_text()))
        os.chdir(ROOT)
