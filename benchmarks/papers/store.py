"""What has been measured, kept on disk: a run that was stopped goes on where it was.

A script asks for each of its numbers by a key and hands over the function that measures
it. A number that is there is returned, another is measured and written down at once.
"""

import json
import os
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from maxmargin.datasets import MissingData


class Store:
    """The numbers of one table or figure.

    Parameters
    ----------
    path : Path
        The JSON file that keeps them.
    quick : bool
        Whether scripts are asked for smaller problems and fewer repetitions.
    fresh : bool
        Whether earlier numbers are forgotten.
    measures : bool
        Whether numbers that are not there are measured.
    """

    def __init__(
        self, path: Path, quick: bool, fresh: bool = False, measures: bool = True
    ):
        self.path = path
        self.quick = quick
        self.measures = measures
        self.missing: dict[str, str] = {}  # key: what could not be loaded
        known = path.exists() and not fresh
        self.values: dict[str, Any] = json.loads(path.read_text()) if known else {}

    def pick(self, full: Any, quick: Any) -> Any:
        """Return the first of two settings in a full run, the second in a quick one."""
        return quick if self.quick else full

    def cell(self, key: str, measure: Callable[[], Any]) -> Any:
        """Return a number, or whatever JSON can hold; None where there is none.

        Measured with one thread; warnings of solvers that stop early are for users.
        """
        if key in self.values:
            return self.values[key]
        if not self.measures:
            return None
        start = time.perf_counter()
        try:
            with warnings.catch_warnings(), threadpool_limits(1):
                warnings.simplefilter("ignore")
                value = measure()
        except MissingData as error:
            self.missing[key] = str(error)
            print(f"  {key}: skipped, {error}", flush=True)
            return None
        self.values[key] = value
        self._write()
        duration = time.perf_counter() - start
        print(f"  {key}: {_short(value)} ({duration:.1f} s)", flush=True)
        return value

    def beside(self, name: str) -> "Store":
        """Return the store of another table or figure, to share its numbers."""
        path = self.path.with_name(f"{name}.json")
        return Store(path, self.quick, measures=self.measures)

    def _write(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        draft = self.path.with_suffix(".tmp")
        draft.write_text(json.dumps(self.values, indent=1))
        os.replace(draft, self.path)


def _short(value: Any) -> str:
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    return text if len(text) <= 60 else text[:57] + "..."
