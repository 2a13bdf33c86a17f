"""Several sources of the same rows: their columns side by side in one matrix.

A source is a table of its own, such as the words of texts beside their embeddings. Rows
of all sources are one row of the matrix, so that they are drawn, merged, stored and
labelled together. What is done to the columns is decided for each source alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp

from maxmargin.rows.preparation import (
    ColumnStatistics,
    Preparation,
    choose_preparation,
    round_digits,
)


@dataclass(frozen=True)
class Sources:
    """The names of sources, and their columns in the matrix of all."""

    names: tuple[str, ...]
    widths: tuple[int, ...]  # numbers of columns
    sparse: tuple[bool, ...]  # whether a source is a sparse matrix

    @property
    def columns(self) -> list[slice]:
        """Return the columns of each source."""
        ends = np.cumsum([0, *self.widths]).tolist()
        return [slice(start, stop) for start, stop in pairwise(ends)]

    def split(self, X) -> list[Any]:
        """Return the columns of each source, sparse or dense as it was."""
        parts = [X[:, columns] for columns in self.columns]
        return [
            part.toarray() if sp.issparse(part) and not sparse else part
            for part, sparse in zip(parts, self.sparse, strict=True)
        ]

    def expand(self, values: np.ndarray) -> np.ndarray:
        """Return values of the sources as values of their columns."""
        return np.repeat(values, self.widths)


def join_sources(parts: Sequence[Any]) -> Any:
    """Return the columns side by side, as a CSR matrix if one source is sparse."""
    if any(sp.issparse(part) for part in parts):
        return sp.csr_array(sp.hstack(parts, format="csr"))
    return np.ascontiguousarray(np.hstack(parts))


@dataclass(frozen=True)
class SourcesPreparation(Preparation):
    """The transformation of the rows of several sources, each with its own.

    ``scale`` has the divisors of all columns, which are in those of the parts, too.
    """

    sources: Sources = Sources((), (), ())
    parts: tuple[Preparation, ...] = ()

    @property
    def empty(self) -> bool:
        """Return False: sources are brought to the same unit."""
        return False

    def __call__(self, X) -> Any:
        """Return a copy of rows as they are compared."""
        blocks = self.sources.split(X)
        return join_sources(
            [part(block) for part, block in zip(self.parts, blocks, strict=True)]
        )

    def lazily(self, X) -> Any:
        """Return a copy of rows as they are compared."""
        return self(X)


def prepare_sources(
    X, statistics: ColumnStatistics, sources: Sources, scale: Any, **options: Any
) -> SourcesPreparation:
    """Choose the preparation of each source, as if it were alone; then its unit.

    The unit is the root of the mean squared distance from the mean, so that the sources
    have the same share in distances between joined rows. Proportions have the length
    one and need none.

    Parameters
    ----------
    X : {ndarray, sparse matrix} of shape (n_rows, n_features)
    statistics : ColumnStatistics
        Those of the columns of all sources.
    sources : Sources
    scale : "auto", bool or array-like of shape (n_features,)
    **options
        See `choose_preparation`.
    """
    if np.ndim(scale) > 0 and len(scale) != X.shape[1]:
        raise ValueError(
            f"scale has {len(scale)} divisors: give one for each of the {X.shape[1]} "
            "columns of all sources."
        )
    parts = []
    for name, columns, block in zip(
        sources.names, sources.columns, sources.split(X), strict=True
    ):
        own = ColumnStatistics(
            statistics.weight, *(one[columns] for one in statistics[1:])
        )
        if not own.deviation.any():
            raise ValueError(
                f"All rows of the source {name!r} are equal: leave it out, or check "
                "how its features were made."
            )
        given = scale[columns] if np.ndim(scale) > 0 else scale
        chosen = choose_preparation(block, partial(_same, own), scale=given, **options)
        parts.append(_with_unit(chosen, own))
    scales = np.concatenate([np.asarray(part.scale) for part in parts])
    return SourcesPreparation(None, scales, sources, tuple(parts))


def _same(statistics: ColumnStatistics) -> ColumnStatistics:
    return statistics


def _with_unit(chosen: Preparation, statistics: ColumnStatistics) -> Preparation:
    """Return a preparation whose divisors include the unit of the source."""
    divisors = np.ones(len(statistics.mean)) if chosen.scale is None else chosen.scale
    if chosen.transform is None:
        variance = (statistics.deviation / divisors) ** 2
        divisors = divisors * round_digits(np.sqrt(variance.sum()))
    return Preparation(chosen.transform, divisors)
