"""The functions of the page that need no browser, with the test runner of node."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import maxmargin

OLDEST = 20  # the oldest release of node that runs the tests
NODE = shutil.which("node")
TESTS = Path(__file__).parent / "js"
STATIC = Path(maxmargin.__file__).parent / "app" / "static"


def node_version():
    if NODE is None:
        return 0
    answer = subprocess.run([NODE, "--version"], capture_output=True, text=True)
    found = re.match(r"v(\d+)\.", answer.stdout)
    return int(found[1]) if found else 0


@pytest.mark.skipif(node_version() < OLDEST, reason=f"needs node {OLDEST} or later")
def test_pure_functions(tmp_path):
    # The tests name the modules by their place in the source tree, which an installed
    # package does not have; and without package.json, old releases of node take modules
    # for scripts.
    shutil.copytree(TESTS, tmp_path / "tests" / "app" / "js")
    shutil.copytree(STATIC, tmp_path / "src" / "maxmargin" / "app" / "static")
    (tmp_path / "package.json").write_text(json.dumps({"type": "module"}))
    files = sorted(map(str, (tmp_path / "tests").rglob("*.test.js")))
    assert len(files) > 5
    run = subprocess.run(
        [NODE, "--test", "--test-reporter=tap", *files],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=tmp_path,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert re.search(r"^# fail 0$", run.stdout, re.MULTILINE)
    assert int(re.search(r"^# pass (\d+)$", run.stdout, re.MULTILINE)[1]) > 50
