"""Columns of texts as features of a command: their words."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from maxmargin.tables.frames import is_missing, take_rows
from maxmargin.tables.table import Table, TableError, join_texts
from maxmargin.texts.words import Words, learn_words


class EncodedRows(NamedTuple):
    """The samples of a table, and the positions of their rows."""

    X: Any  # an array, or a sparse one of words
    rows: np.ndarray


@dataclass(frozen=True)
class TextPreprocessor:
    """The words of columns of texts, in the place of a `Preprocessor`."""

    texts: tuple[str, ...]  # names of the columns
    words: Words
    missing: str
    notes: tuple[str, ...] = ()
    scaled: bool = False

    @property
    def columns(self) -> list[str]:
        """Return the names of the columns that are used."""
        return list(self.texts)

    text_columns = columns

    @property
    def feature_names(self) -> list[str]:
        """Return the words."""
        return list(self.words.words)

    def usable_rows(self, table: Table) -> np.ndarray:
        """Return all rows, or with ``missing="drop"`` those with all texts."""
        if self.missing != "drop":
            return np.arange(len(table))
        gaps = np.any([is_missing(table, name) for name in self.texts], axis=0)
        return np.flatnonzero(~gaps)

    def transform(self, table: Table) -> EncodedRows:
        """Return the features of a table; a missing text has no words."""
        rows = self.usable_rows(table)
        if not len(rows):
            raise TableError("Every row has a missing text: use --missing median.")
        return EncodedRows(self.words.features(self.read(table, rows)), rows)

    def read(self, table: Table, rows: np.ndarray) -> list[str]:
        """Return the texts of some rows."""
        return join_texts(take_rows(table, rows), self.texts)

    def unseen(self, table: Table) -> dict[str, tuple[int, str]]:
        """Return nothing: new words are ignored, as there are some in most texts."""
        return {}

    def inverse_transform(self, X: np.ndarray) -> np.ndarray:
        """Return the weights of words as they are."""
        return X

    def to_json(self) -> dict[str, Any]:
        """Return all fields in a form that JSON can store."""
        fields = asdict(self)
        fields["words"]["weights"] = self.words.weights.tolist()
        return fields

    @staticmethod
    def from_json(data: dict[str, Any]) -> "TextPreprocessor":
        """Return the preprocessor that `to_json` stored."""
        words = Words(tuple(data["words"]["words"]), np.array(data["words"]["weights"]))
        return TextPreprocessor(
            tuple(data["texts"]), words, data["missing"], tuple(data["notes"])
        )


def fit_text_preprocessor(
    table: Table, names: Sequence[str], missing: str, notes: Sequence[str]
) -> TextPreprocessor:
    """Learn the words of columns of texts."""
    try:
        words = learn_words(join_texts(table, names))
    except ValueError as error:
        raise TableError(str(error)) from None
    shown = ", ".join(map(repr, names))
    note = f"texts in {shown} are compared by {len(words.words)} words"
    return TextPreprocessor(tuple(names), words, missing, (*notes, note))
