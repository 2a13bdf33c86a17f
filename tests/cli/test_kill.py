"""A killed process leaves complete files, and nothing else after the next run.

``MAXMARGIN_KILLS=200`` kills it at 200 moments.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

KILLS = int(os.environ.get("MAXMARGIN_KILLS", "4"))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL")
@pytest.mark.timeout(60 + 10 * KILLS)
@pytest.mark.parametrize("kind", ["command", "save_model"])
def test_kill_at_random_moments(kind, tmp_path):
    script = Path(__file__).with_name("killing.py")
    seed = int.from_bytes(os.urandom(2))
    arguments = [sys.executable, script, kind, tmp_path, str(KILLS), str(seed)]
    result = subprocess.run(arguments, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    print(result.stdout)
