"""What holds for the package as a whole."""

import ast
import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

import maxmargin

FIT = """
import numpy as np
from maxmargin import MaxMarginClustering
from maxmargin.search import descent, shaking
X = np.random.RandomState(0).randn(40, 2)
MaxMarginClustering(2, kernel="rbf").fit(X)
compiled = [shaking.claim, descent.sweep_moves]
print(sum(sum(f.stats.cache_misses.values()) for f in compiled))
"""


def run(code, **environment):
    result = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return result.stdout.split()


def test_import_is_light():
    """Neither scikit-learn nor numba is loaded before a name is used."""
    code = (
        "import sys, maxmargin; print('numba' in sys.modules, 'sklearn' in sys.modules)"
    )
    assert run(code) == ["False", "False"]


def test_a_second_process_does_not_compile_again(tmp_path):
    first = run(FIT, NUMBA_CACHE_DIR=str(tmp_path))
    second = run(FIT, NUMBA_CACHE_DIR=str(tmp_path))
    assert int(first[0]) > 0
    assert int(second[0]) == 0


# Blocks imports as if no extra were installed.
BLOCK = """
import sys, importlib.util
class Finder:
    def find_spec(self, name, *rest):
        if name.partition(".")[0] in {names}:
            raise ModuleNotFoundError("No module named " + repr(name), name=name)
sys.meta_path.insert(0, Finder())
find = importlib.util.find_spec
importlib.util.find_spec = lambda name: None if name in {names} else find(name)
"""
EXTRAS = (
    *("click", "dask", "duckdb", "matplotlib", "pandas", "PIL", "polars", "pyarrow"),
    *("pyspark", "python_calamine", "rich", "scs"),
)
CURES = [
    ("from maxmargin.distributed import DaskMaxMarginClustering", "dask"),
    ("from maxmargin.distributed import SparkMaxMarginClustering", "spark"),
    ("from maxmargin.plots.style import get_axes; get_axes(None)", "plot"),
    ("from maxmargin.tables import read_table; read_table('t.parquet')", "tables"),
    ("from maxmargin.tables import read_table; read_table('t.jsonl')", "tables"),
    ("from maxmargin.tables import read_table; read_table('t.xlsx')", "tables"),
    (
        "from maxmargin.segmentation.image_files import read_image; "
        "read_image('t.png')",
        "image",
    ),
    (
        "import numpy as np\nfrom maxmargin import published\n"
        "model = published.SemidefiniteMaxMarginClustering(formulation='mmc')\n"
        "model.fit(np.eye(9)[:, :2])",
        "sdp",
    ),
    ("from maxmargin.cli import main", "cli"),
]


def test_fit_without_extras():
    code = BLOCK.format(names=EXTRAS) + "import maxmargin\n" + FIT
    assert int(run(code)[0]) >= 0
    code = BLOCK.format(names=EXTRAS) + (
        "import maxmargin\nfor name in maxmargin.__all__: getattr(maxmargin, name)"
    )
    assert run(code) == []


@pytest.mark.parametrize(("code", "extra"), CURES, ids=[extra for _, extra in CURES])
def test_a_missing_extra_is_named_in_one_sentence(code, extra, tmp_path):
    for name in ("t.parquet", "t.jsonl", "t.xlsx", "t.png"):
        (tmp_path / name).write_bytes(b"PK something")
    result = subprocess.run(
        [sys.executable, "-c", BLOCK.format(names=EXTRAS) + code],
        capture_output=True,
        cwd=tmp_path,
        text=True,
    )
    assert result.returncode == 1
    last = result.stderr.strip().splitlines()[-1]
    assert f"pip install 'maxmargin[{extra}]'" in last
    assert len(last) < 200


def test_public_names():
    for name in maxmargin.__all__:
        assert getattr(maxmargin, name)
    assert dir(maxmargin) == maxmargin.__all__
    with pytest.raises(AttributeError, match="no attribute 'KMeans'"):
        getattr(maxmargin, "KMeans")  # noqa: B009


def test_names_are_unique():
    """A function or class that others may import has a name of its own.

    Each command of the terminal has a function ``run``, and two programs a ``main``;
    ``evolve`` is a search and a command.
    """
    places = defaultdict(set)
    for file in Path(maxmargin.__file__).parent.rglob("*.py"):
        for node in ast.parse(file.read_text()).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                places[node.name].add(file)
    several = {name for name, files in places.items() if len(files) > 1}
    public = {name for name in several if not name.startswith("_")}
    assert public == {"run", "main", "evolve"}
