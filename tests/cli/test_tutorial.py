"""The commands that readers are shown work as printed."""

import re
import shlex
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner

from maxmargin.cli.main import main
from maxmargin.selection.stability import cluster_stability

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(console|python)\n(.*?)^```", re.MULTILINE | re.DOTALL)
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


@pytest.mark.parametrize("page", ["README.md", "docs/tutorial.md"])
def test_commands_work_as_printed(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    once = partial(cluster_stability, n_refits=1)  # to save time
    monkeypatch.setattr("maxmargin.cli.compare.cluster_stability", once)
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
            shown = shape_of(run(command))
            if "..." in expected:
                place = expected.index("...")
                assert shown[:place] == expected[:place]
            elif expected:
                assert sorted(shown) == sorted(expected), command


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
