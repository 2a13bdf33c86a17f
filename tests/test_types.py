"""The types that users see: ``mypy --strict`` accepts the examples."""

import inspect
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import maxmargin

pytestmark = pytest.mark.skipif(
    np.__version__ < "2.1", reason="numpy has other types before 2.1"
)

ROOT = Path(__file__).parent.parent
MODULES = (
    "maxmargin",
    "maxmargin.datasets",
    "maxmargin.metrics",
    "maxmargin.plots",
    "maxmargin.segmentation",
    "maxmargin.selection",
    "maxmargin.tables",
)

CODE = """
import numpy as np
from maxmargin import MaxMarginClustering, load_model, save_model
from maxmargin.tables import read_blocks

def label(path: str) -> np.ndarray:
    model = MaxMarginClustering(3, random_state=0)
    for block in read_blocks(path):
        model.partial_fit(block)
    save_model("model.npz", model)
    return model.fit(np.eye(4)).predict(np.eye(4))

reveal_type(MaxMarginClustering(3).fit(np.eye(4)))
reveal_type(MaxMarginClustering("auto").fit(np.eye(4)).predict(np.eye(4)))
MaxMarginClustering(3.5)
"""


def check(*arguments, cwd):
    pytest.importorskip("mypy", reason="needs the extra check")
    options = ["--strict", "--ignore-missing-imports", "--follow-imports=silent"]
    return subprocess.run(
        [sys.executable, "-m", "mypy", *options, "--config-file=", *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
    )


@pytest.fixture(autouse=True)
def path_of_the_package(monkeypatch):
    folder = Path(maxmargin.__file__).parent.parent
    if folder.name != "site-packages":  # mypy finds installed packages by itself
        monkeypatch.setenv("MYPYPATH", str(folder))


def test_the_types_are_declared():
    assert Path(maxmargin.__file__).with_name("py.typed").exists()


@pytest.mark.parametrize("name", MODULES)
def test_public_signatures_are_annotated(name):
    module = import_module(name)
    missing = []
    for public in module.__all__:
        value = getattr(module, public)
        members = [value] if inspect.isfunction(value) else []
        if inspect.isclass(value):
            own = (c for c in value.__mro__ if c.__module__.startswith("maxmargin"))
            members = [
                getattr(f, "__func__", f)
                for c in own
                for n, f in vars(c).items()
                if (n == "__init__" or n[0] != "_")
                and inspect.isfunction(getattr(f, "__func__", f))
            ]
        for function in members:
            hints = function.__annotations__
            names = [n for n in inspect.signature(function).parameters if n != "self"]
            if {*names, "return"} - {"cls"} - set(hints):
                missing.append(function.__qualname__)
    assert missing == []


@pytest.mark.timeout(600)
@pytest.mark.skipif(not (ROOT / "examples").exists(), reason="needs the source tree")
def test_examples(tmp_path):
    examples = sorted(map(str, (ROOT / "examples").glob("*.py")))
    found = check(*examples, cwd=tmp_path)
    assert found.returncode == 0, found.stdout


@pytest.mark.timeout(600)
def test_code_of_users(tmp_path):
    (tmp_path / "code.py").write_text(CODE)
    lines = check("code.py", cwd=tmp_path).stdout.splitlines()
    assert "MaxMarginClustering" in lines[0]
    assert "ndarray" in lines[1]
    assert "incompatible type" in lines[2]
    assert "Found 1 error" in lines[3]
    assert len(lines) == 4
