"""The command as a process: its files, its exit code, its end."""

import json
import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from maxmargin.cli.main import main


def command(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-m", "maxmargin", *map(str, arguments)],
        capture_output=True,
        text=True,
        **options,
    )


def test_a_full_disk(iris, tmp_path):
    """A limit on the size of files fails a write as a full disk does."""
    pytest.importorskip("resource")
    model = tmp_path / "m.npz"
    code = (
        "import resource, sys\n"
        "import maxmargin.cli.cluster\n"
        "from maxmargin.cli.main import main\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "main(sys.argv[1:])"
    )
    arguments = ["cluster", iris, "-k", "2", "--drop", "species", "--model", model]
    result = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert result.returncode == 1, result.stderr
    assert "nothing was written" in result.stderr
    assert result.stderr.count("maxmargin: error") == 1
    assert list(tmp_path.iterdir()) == []


def test_the_command_itself(iris, tmp_path):
    result = command("cluster", iris, "-k", 3, "--drop", "species", "--json")
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["rows"] == 150
    assert result.stderr == ""
    result = command("cluster", tmp_path / "none.csv")
    assert result.returncode == 2
    assert result.stderr.count("\n") == 1


def test_a_thread_of_pyarrow_does_not_abort_the_exit():
    code = """
import io, sys, time
from pyarrow import csv
from maxmargin.cli import main

class SlowFile(io.BytesIO):
    def read(self, *size):
        if self.tell() > 2000:
            time.sleep(0.2)
        return super().read(*size)

class SlowEnd:
    def __del__(self):
        time.sleep(1)

def command(**options):
    global reader, end
    options = csv.ReadOptions(block_size=1000)
    reader = csv.open_csv(SlowFile(b"a,b\\n" + b"1,2\\n" * 10_000), options)
    reader.read_next_batch()
    end = SlowEnd()
    print("done")
    sys.exit(3)

main.main = command
main.run()
"""
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True
    )
    assert (result.returncode, result.stdout, result.stderr) == (3, "done\n", "")


def test_exit_code_after_an_interruption(iris, tmp_path, monkeypatch):
    def interrupt(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("maxmargin.MaxMarginClustering.fit", interrupt)
    arguments = ["cluster", str(iris), "--out", str(tmp_path / "o.csv")]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 130
    assert result.stderr == "\nmaxmargin: error: interrupted\n"
    assert list(tmp_path.iterdir()) == []
