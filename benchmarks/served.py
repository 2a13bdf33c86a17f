"""The app as a user runs it, in a process of its own."""

import re
import subprocess
import sys
import tempfile
from contextlib import contextmanager


@contextmanager
def served():
    """Run the app and yield its address, and its process."""
    command = [sys.executable, "-m", "maxmargin", "app", "--no-browser", "--folder"]
    with tempfile.TemporaryDirectory() as folder:
        server = subprocess.Popen([*command, folder], stdout=subprocess.PIPE, text=True)
        try:
            address = next(
                match[0]
                for line in server.stdout
                if (match := re.search(r"http://[0-9.:]+/", line))
            )
            yield address, server
        finally:
            server.terminate()
            server.wait(10)
