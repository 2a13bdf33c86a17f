"""Results in a JSON file: a line for each suite, set, method and measurement."""

import contextlib
import fcntl
import json
import os
from pathlib import Path

RESULTS = Path(__file__).parent / "results.json"


def key_of(suite, name, method, what):
    """Return the key of a measurement."""
    return "/".join((suite, name, method, what))


class Store:
    """The results; several processes may add to the file at once."""

    def __init__(self, path=RESULTS):
        self.path = Path(path)

    def read(self):
        """Return all results as a dictionary."""
        return json.loads(self.path.read_text()) if self.path.exists() else {}

    def put(self, key, result):
        """Add or replace one result."""
        with self._locked():
            self._write(self.read() | {key: result})

    def forget(self, keys):
        """Drop some results."""
        with self._locked():
            results = self.read()
            self._write({k: v for k, v in results.items() if k not in keys})

    @contextlib.contextmanager
    def _locked(self):
        folder = os.open(self.path.parent, os.O_RDONLY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            yield
        finally:
            os.close(folder)

    def _write(self, results):
        items = sorted(results.items())
        lines = [f"{_compact(key)}:{_compact(result)}" for key, result in items]
        partial = self.path.with_suffix(".partial")
        partial.write_text("{\n" + ",\n".join(lines) + "\n}\n")
        os.replace(partial, self.path)


def _compact(value):
    return json.dumps(value, separators=(",", ":"))
