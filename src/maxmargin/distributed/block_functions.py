"""What is done to the rows of a block where they are, on any engine.

A block is a pair of rows and weights. The functions depend on their arguments alone: if
a worker is lost, another one computes the same result from the same rows.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils.validation import assert_all_finite

from maxmargin.rows.blocks import Drawn, Reduction, RowSource
from maxmargin.rows.threads import single_threaded_libraries
from maxmargin.rows.validation import check_magnitude

Block = tuple[Any, np.ndarray]


class RemoteSource(RowSource):
    """Rows on other machines; so are their weights."""

    def positive_weights(self) -> np.ndarray:
        """Return equal weights of the right total; sizes are not limited here."""
        n_weights = min(self.n_samples, 1000)
        return np.full(n_weights, self.total_weight / n_weights)

    def fetch(self, limit: int, random: np.random.RandomState) -> Drawn:
        """Return rows that were drawn, sent to this process."""
        parts = self.draw(limit, random).map(to_client)
        rows = np.concatenate([part for part, _ in parts])
        assert_all_finite(rows, input_name="X")
        check_magnitude(rows)
        weights = np.concatenate([own for _, own in parts])
        return Drawn(rows, weights, np.arange(len(rows)))

    def label(self, model: Any, drawn: Drawn, found: np.ndarray) -> None:
        """Leave the labels open: rows are labelled where they are."""


def to_client(rows, weights) -> Block:
    """Return drawn rows to the process that clusters them."""
    return rows, weights


def take_weighted_rows(rows, weights, positions: np.ndarray) -> Block:
    """Return the rows at some positions that have a positive weight."""
    taken = np.ones(len(positions)) if weights is None else weights[positions]
    kept = taken > 0
    return rows[positions[kept]], taken[kept].astype(np.float64)


def take_all(rows, weights) -> Block:
    """Return rows of finite values, and their weights."""
    assert_all_finite(rows, input_name="X")
    own = np.ones(len(rows)) if weights is None else np.asarray(weights)
    return rows, own.astype(np.float64)


def merge_blocks(blocks: list[Block]) -> Block:
    """Join several blocks into one."""
    return (
        np.concatenate([rows for rows, _ in blocks]),
        np.concatenate([weights for _, weights in blocks]),
    )


def every_row(step: int, block: Block) -> Block:
    """Return every ``step``-th row of a block."""
    rows, weights = block
    return rows[::step], weights[::step]


def replace_rows(function: Callable[[Any], Any], block: Block) -> Block:
    """Return a block with ``function(rows)`` in place of its rows."""
    rows, weights = block
    with single_threaded_libraries(n_threads=1):
        return function(rows), weights


def reduce_block(function: Reduction, block: Block) -> Any:
    """Return ``function(rows, weights)`` of a block."""
    with single_threaded_libraries(n_threads=1):
        return function(*block)


def apply_model(rows, model, method: str) -> np.ndarray:
    """Return what a method of a model, such as "label", returns for rows."""
    assert_all_finite(rows, input_name="X")
    with single_threaded_libraries(n_threads=1):
        values: np.ndarray = getattr(model, method)(rows)
    return values


def check_weight_range(name: str, smallest: float, total: float) -> None:
    """Raise an error if weights cannot be used, by the smallest one and their sum."""
    if not (smallest >= 0 and 0 < total < np.inf):
        raise ValueError(
            f"{name} must be finite and not negative, nor zero for every sample: "
            "weights count samples."
        )
