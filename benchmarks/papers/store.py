"""What has been measured, kept on disk: a run that was stopped goes on where it was.

A script asks for each of its numbers by a key and hands over the function that measures
it. A number that is there is returned, another is measured and written down at once.
"""

import json
import os
import re
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from threadpoolctl import threadpool_limits

from benchmarks.data.suite import MissingData


class Wanted(NamedTuple):
    """The one number that is asked for."""

    name: str
    whole_grid: bool = False  # choose the parameters anew


class OneCell(Exception):
    """A number that was measured alone."""

    def __init__(self, key: str, value: Any, stored: Any, seconds: float):
        super().__init__(key)
        self.key, self.value, self.stored, self.seconds = key, value, stored, seconds


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
    wanted : Wanted, default=None
        A single number that is measured, even if it is there. `OneCell` is raised with
        it, and nothing is written.
    """

    def __init__(
        self,
        path: Path,
        quick: bool,
        fresh: bool = False,
        measures: bool = True,
        wanted: Wanted | None = None,
    ):
        self.path = path
        self.quick = quick
        self.measures = measures
        self.wanted = wanted
        self.missing: dict[str, str] = {}  # key: what could not be loaded
        self.keys: list[str] = []  # of all numbers that were asked for
        known = path.exists() and not fresh
        self.values: dict[str, Any] = json.loads(path.read_text()) if known else {}

    def pick(self, full: Any, quick: Any) -> Any:
        """Return the first of two settings in a full run, the second in a quick one."""
        return quick if self.quick else full

    def cell(
        self,
        key: str,
        measure: Callable[[], Any],
        repeat: Callable[[Any], Any] | None = None,
    ) -> Any:
        """Return a number, or whatever JSON can hold; None where there is none.

        Measured with one thread; warnings of solvers that stop early are for users.
        ``repeat`` measures a number again at the parameters of the stored one, which
        were chosen on a grid.
        """
        self.keys.append(key)
        if self.wanted is not None:
            return self._alone(key, measure, repeat)
        if key in self.values:
            return self.values[key]
        if not self.measures:
            return None
        start = time.perf_counter()
        try:
            value = _measure(measure)
        except MissingData as error:
            self.missing[key] = str(error)
            print(f"  {key}: skipped, {error}", flush=True)
            return None
        self.values[key] = value
        self._write()
        duration = time.perf_counter() - start
        print(f"  {key}: {_short(value)} ({duration:.1f} s)", flush=True)
        return value

    def _alone(
        self,
        key: str,
        measure: Callable[[], Any],
        repeat: Callable[[Any], Any] | None,
    ) -> Any:
        """Measure the wanted number, and return the stored one for any other."""
        assert self.wanted is not None
        stored = self.values.get(key)
        if words(key) != words(self.wanted.name):
            return stored
        if repeat is not None and stored is not None and not self.wanted.whole_grid:
            again = repeat

            def measure() -> Any:
                return again(stored)

        start = time.perf_counter()
        value = _measure(measure)
        raise OneCell(key, value, stored, time.perf_counter() - start)

    def beside(self, name: str) -> "Store":
        """Return the store of another table or figure, to share its numbers."""
        path = self.path.with_name(f"{name}.json")
        store = Store(path, self.quick, measures=self.measures, wanted=self.wanted)
        store.keys = self.keys
        return store

    def _write(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        draft = self.path.with_suffix(".tmp")
        draft.write_text(json.dumps(self.values, indent=1))
        os.replace(draft, self.path)


def _measure(measure: Callable[[], Any]) -> Any:
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        return measure()


def words(key: str) -> list[str]:
    """Return the words of a key, without colons and commas, in small letters."""
    return re.sub("[:,]", " ", key).lower().split()


def _short(value: Any) -> str:
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    return text if len(text) <= 60 else text[:57] + "..."
