"""What has been measured, kept on disk: a run that was stopped goes on where it was.

A script asks for each of its numbers by a key and hands over the function that measures
it. A number that is there is returned, another is measured and written down at once,
with the fingerprints of the source files that it depends on (`sources`). A number whose
source has changed since is *older* than the code. Pages name those that they show, and
a refreshing run measures them anew.
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
from benchmarks.papers.sources import changed, trace

UNKNOWN = "measured before sources were noted"


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
    refresh : {None, "grid", "settings"}, default=None
        Whether numbers that are older than the code are measured anew: with their
        parameters chosen anew, or at those that were chosen before.
    match : str, default=""
        A regular expression: numbers whose key has no match are not measured.
    """

    def __init__(
        self,
        path: Path,
        quick: bool,
        fresh: bool = False,
        measures: bool = True,
        wanted: Wanted | None = None,
        refresh: str | None = None,
        match: str = "",
    ):
        self.path = path
        self.quick = quick
        self.measures = measures
        self.wanted = wanted
        self.refresh = refresh
        self.match = match
        self.missing: dict[str, str] = {}  # key: what could not be loaded
        self.keys: list[str] = []  # of all numbers that were asked for
        self.measured: list[str] = []  # those that were measured in this run
        known = path.exists() and not fresh
        self.values: dict[str, Any] = json.loads(path.read_text()) if known else {}
        self.sources = Sources(path.parent / "sources" / path.name, fresh)
        self.shown: dict[tuple[str, str], str] = {}  # (table, key): why it is older

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
        older = self.sources.why_older(key) if key in self.values else ""
        measures = self.measures and re.search(self.match, key) is not None
        if older and measures and self.refresh is not None:
            stored = self.values[key]
            again = self.refresh == "settings" and repeat is not None
            self._measure_cell(key, (lambda: repeat(stored)) if again else measure)
            older = self.sources.why_older(key)
        elif key not in self.values and measures:
            self._measure_cell(key, measure)
        if key in self.values:
            self.shown[self.path.stem, key] = older
        return self.values.get(key)

    def _measure_cell(self, key: str, measure: Callable[[], Any]) -> None:
        """Measure a number and write it down, with what it depends on."""
        start = time.perf_counter()
        try:
            value, fingerprints = trace(lambda: _measure(measure))
        except MissingData as error:
            self.missing[key] = str(error)
            print(f"  {key}: skipped, {error}", flush=True)
            return
        self.values[key] = value
        self.measured.append(key)
        self.write()
        self.sources.note(key, fingerprints)
        duration = time.perf_counter() - start
        print(f"  {key}: {_short(value)} ({duration:.1f} s)", flush=True)

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
        store = Store(
            path,
            self.quick,
            measures=self.measures,
            wanted=self.wanted,
            refresh=self.refresh,
            match=self.match,
        )
        store.keys, store.shown = self.keys, self.shown
        return store

    def write(self) -> None:
        """Write all numbers down."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        draft = self.path.with_suffix(".tmp")
        draft.write_text(json.dumps(self.values, indent=1))
        os.replace(draft, self.path)


class Sources:
    """The fingerprints of the code behind the numbers of a table, kept on disk.

    Most numbers depend on the same code: each piece and each set of them is kept once.
    """

    def __init__(self, path: Path, fresh: bool = False):
        self.path = path
        known = path.exists() and not fresh
        kept = json.loads(path.read_text()) if known else {}
        self.cells: dict[str, int] = kept.get("cells", {})
        self.sets: list[list[int]] = kept.get("sets", [])
        self.pieces: list[str] = kept.get("pieces", [])  # "module:name fingerprint"

    def note(self, key: str, fingerprints: dict[str, list[str]]) -> None:
        """Keep what a number depends on."""
        pieces = [
            f"{name} {one}" for name, all_of in fingerprints.items() for one in all_of
        ]
        places = {piece: place for place, piece in enumerate(self.pieces)}
        for piece in pieces:
            places.setdefault(piece, len(places))
        self.pieces = list(places)
        own = sorted(places[piece] for piece in pieces)
        if own not in self.sets:
            self.sets.append(own)
        self.cells[key] = self.sets.index(own)
        self._drop_unused()
        self.path.parent.mkdir(parents=True, exist_ok=True)
        kept = {"cells": self.cells, "sets": self.sets, "pieces": self.pieces}
        lines = [f'"{name}": {_on_lines(part)}' for name, part in kept.items()]
        draft = self.path.with_suffix(".tmp")
        draft.write_text("{" + ",\n".join(lines) + "}\n")
        os.replace(draft, self.path)

    def _drop_unused(self) -> None:
        """Forget sets and pieces that no number has any more."""
        used = sorted(set(self.cells.values()))
        self.cells = {key: used.index(place) for key, place in self.cells.items()}
        sets = [self.sets[place] for place in used]
        pieces = sorted(set().union(*sets))
        self.sets = [[pieces.index(place) for place in one] for one in sets]
        self.pieces = [self.pieces[place] for place in pieces]

    def why_older(self, key: str) -> str:
        """Return the code that changed since a number was measured, "" if none."""
        if key not in self.cells:
            return UNKNOWN
        known: dict[str, list[str]] = {}
        for place in self.sets[self.cells[key]]:
            name, _, one = self.pieces[place].rpartition(" ")
            known.setdefault(name, []).append(one)
        return ", ".join(changed(known))


def _on_lines(part: dict[str, int] | list[Any]) -> str:
    """Return JSON with an element on each line, so that changes are seen."""
    return re.sub(r', (?=["\[])', ",\n", json.dumps(part))


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
