"""`TableEncoder`: the columns of a table as features that clusters can be found in."""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from maxmargin.tables.basis import Block, make_block
from maxmargin.tables.donors import choose_donors
from maxmargin.tables.expectations import MIN_SHARE, fit_expectations, n_features
from maxmargin.tables.frames import Frame, open_frame, regroup
from maxmargin.tables.objects import is_table
from maxmargin.tables.roles import (
    CATEGORY,
    CONSTANT,
    FEW,
    ID,
    NUMBER,
    TEXT,
    USED,
    Decision,
    check_roles,
    decide,
)
from maxmargin.tables.table import Table, join_texts
from maxmargin.texts.encoder import TextEncoder

MAX_ROWS = 10_000  # from which roles and expectations are learned
CHUNK = 4096  # rows that are encoded at once
N_SHOWN = 3  # values in a message


@dataclass(frozen=True)
class Column:
    """What a `TableEncoder` made of a column."""

    role: str  # "number", "few values", "category", "id", "constant" and others
    weight: float  # variance of its features in total; that of a number is 1
    reason: str
    n_missing: int = 0  # values, of all rows of the fit


class TableEncoder(TransformerMixin, BaseEstimator):
    r"""The columns of a table of numbers and categories, as comparable features.

    A number is standardised. A category, a boolean, and a number with at most 12
    different values is replaced by its expectation given the other columns,

    .. math:: f_v(x) = \frac{E[e_v \mid x_{-c}] - p_v}{\sqrt{\sum_u p_u (1 - p_u)}}

    with the indicators :math:`e_v` of the values of column :math:`c` and their shares
    :math:`p_v`. The variances of these features add up to the part of the column that
    the others explain out of sample: 1, as of a number, if they predict it perfectly,
    and 0 if it is random. So a category counts as much as it agrees with
    the rest of the table, and does not split the rows by itself. Rows are compared by
    these features as far as many columns share a difference: the features are
    multiplied by the root of their covariance, and the total of the variances is kept.
    A missing number is the median of the three nearest rows that have it; a missing
    category needs no value.

    A number with a single mode that the other columns tell nothing about is noise, and
    hardly counts. If all numbers are, and no category tells anything about another, the
    indicators of the categories are the features.

    A table of numbers alone is not changed, but for missing values. Texts are left out
    beside other columns; if there are no others, the features are their words, see
    :class:`maxmargin.texts.TextEncoder`.

    Parameters
    ----------
    scale : bool, default=True
        Whether numbers are standardised. If not, they should have about unit variance.
    roles : dict, default=None
        Roles of columns by name, ``"number"``, ``"few values"``, ``"category"``,
        ``"text"`` or ``"ignored"``, in place of those that are found.

    Attributes
    ----------
    columns_ : dict
        A record for each column, by name: ``role``, ``weight``, ``reason`` and
        ``n_missing``. Ids, constant and empty columns and long texts have weight 0 and
        are left out.
    is_numeric_ : bool
        Whether all columns are numbers, so that they are not changed.
    is_text_ : bool
        Whether the features are words.
    n_features_in_ : int
        Number of columns seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, if all of them are strings.

    Notes
    -----
    Values of a category in fewer than 5 rows, or 0.5 % of the rows, and those beyond
    the 20 most frequent ones, are grouped. Roles and expectations are learned from at
    most 10,000 evenly spaced rows; up to this number the order of the rows does not
    matter. Weights of samples are not used. ``fit_transform(X)`` is
    ``fit(X).transform(X)``.

    Examples
    --------
    >>> import pandas as pd
    >>> from maxmargin.tables import TableEncoder
    >>> sizes = [1.0, 1.2, 1.4, 1.6, 1.8, 3.0, 3.2, 3.4, 3.6, 3.8, 4.0, 4.2, 4.4] * 4
    >>> frame = pd.DataFrame({"size": sizes})
    >>> frame["kind"] = ["small" if size < 2 else "large" for size in sizes]
    >>> encoder = TableEncoder().fit(frame)
    >>> encoder.get_feature_names_out().tolist()
    ['size', 'kind=large', 'kind=small']
    >>> encoder.columns_["kind"].role, encoder.columns_["kind"].weight > 0.8
    ('category', True)
    """

    def __init__(
        self, *, scale: bool = True, roles: dict[str, str] | None = None
    ) -> None:
        self.scale = scale
        self.roles = roles

    def fit(self, X: Any, y: Any = None) -> Self:
        """Decide what each column is, and learn the expectations.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            A data frame of pandas or polars, a LazyFrame, a relation of DuckDB, a Table
            or Dataset of pyarrow, or another object with ``__arrow_c_stream__``.
        y : Ignored
            Present for the conventions of scikit-learn.

        Returns
        -------
        self : object
        """
        frame = self._open(X, reset=True)
        names = frame.names
        given = check_roles(self.roles, names)
        table, n_missing = frame.sample(names, MAX_ROWS)
        if not len(table):
            raise ValueError(f"Found array with 0 sample(s) (shape=(0, {len(names)})).")
        _check_finite(table)
        self.is_numeric_ = frame.is_numeric and not given
        decisions = self._decide(frame, table, given)
        used = [name for name, decision in decisions.items() if decision.role in USED]
        texts = [name for name, found in decisions.items() if found.role == TEXT]
        self.is_text_ = bool(texts) and not used
        if self.is_text_:
            return self._fit_texts(frame, decisions, texts, n_missing)
        blocks = [make_block(table, name, decisions[name]) for name in used]
        if blocks:
            self._expectations = fit_expectations(table, blocks)
        self._weights = self._weigh(blocks)
        self._chosen = [c for c in range(len(used)) if self._weights[c] > 0]
        self.columns_ = {
            name: self._describe(decisions[name], used, name, int(count))
            for name, count in zip(names, n_missing, strict=True)
        }
        self._check_features()
        phi = self._expectations.functions(table)
        X = self._standardised(table, phi)
        self._donors = choose_donors(X, self._expected(phi, X))
        return self

    def _fit_texts(
        self,
        frame: Frame,
        decisions: dict[str, Decision],
        texts: list[str],
        n_missing: np.ndarray,
    ) -> Self:
        """Learn the words of a table of texts."""
        self._texts = texts
        parts = frame.parts(texts, CHUNK)
        joined = [one for part in parts for one in join_texts(part, texts)]
        self._words = TextEncoder().fit(joined)
        self.columns_ = {
            name: Column(found.role, float(name in texts), found.reason, int(count))
            for (name, found), count in zip(decisions.items(), n_missing, strict=True)
        }
        return self

    def transform(self, X: Any) -> Any:
        """Return the features of the rows.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)

        Returns
        -------
        features : {ndarray, sparse matrix} of shape (n_samples, n_features_out)
            Words are sparse.
        """
        check_is_fitted(self)
        parts = list(self.iter_parts(X))
        if not parts:
            return np.empty((0, len(self.get_feature_names_out())))
        return (
            sp.vstack(parts, format="csr") if self.is_text_ else np.concatenate(parts)
        )

    def iter_blocks(self, X: Any, block_rows: int = CHUNK) -> Iterator[np.ndarray]:
        """Yield the features in blocks of ``block_rows`` rows, the last one of fewer.

        So the borders of the blocks do not depend on how the table is stored.
        """
        yield from regroup(self.iter_parts(X), block_rows)

    def iter_parts(self, X: Any) -> Iterator[Any]:
        """Yield the features of some thousand rows at a time."""
        frame = self._open(X, reset=False)
        if self.is_text_:
            for part in frame.parts(self._texts, CHUNK):
                yield self._words.transform(join_texts(part, self._texts))
            return
        names = [block.name for block in self._expectations.blocks]
        warned: set[str] = set()
        for part in frame.parts(names, CHUNK):
            _check_finite(part)
            self._warn_of_unseen(part, warned)
            yield self._encode(part)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the names of the features; ``column=value`` is an expectation.

        Parameters
        ----------
        input_features : Ignored
            Present for the conventions of scikit-learn.

        Returns
        -------
        names : ndarray of str
        """
        check_is_fitted(self)
        if self.is_text_:
            return self._words.get_feature_names_out()
        names: list[str] = []
        for block in self._blocks():
            if block.role == CATEGORY:
                names += [f"{block.name}={value}" for value in block.values]
            else:
                names.append(str(block.name))
        return np.array(names, dtype=object)

    def _blocks(self) -> list[Block]:
        """Return the blocks that have features."""
        return [self._expectations.blocks[c] for c in self._chosen]

    def _open(self, X: Any, reset: bool) -> Frame:
        if not is_table(X):
            raise TypeError(
                f"A TableEncoder encodes data frames and Arrow tables, not "
                f"{type(X).__name__}: make a data frame of it."
            )
        frame = open_frame(X)
        validate_data(self, frame.opened.header, reset=reset, skip_check_array=True)
        return frame

    def _decide(
        self, frame: Frame, table: Table, given: dict[str, str]
    ) -> dict[str, Decision]:
        """Return the role of each column."""
        decisions = {
            name: decide(
                table, name, given.get(name), name in frame.groups, name in frame.dates
            )
            for name in frame.names
        }
        if self.is_numeric_:
            return {name: _as_number(found) for name, found in decisions.items()}
        return decisions

    def _weigh(self, blocks: Sequence[Block]) -> list[float]:
        """Return the variance of the features of each block.

        Numbers that are left as they are all count alike.
        """
        if not blocks:
            return []
        alike = self.is_numeric_ or not self.scale
        return [
            1.0 if alike and block.role == NUMBER else float(variance)
            for block, variance in zip(
                blocks, self._expectations.variances, strict=True
            )
        ]

    def _encode(self, table: Table) -> np.ndarray:
        """Return the features of some rows."""
        phi = self._expectations.functions(table)
        X = self._standardised(table, phi)
        if np.isnan(X).any():
            self._donors.fill(X, self._expected(phi, X))
        if self.is_numeric_ or not self.scale:
            for j, block in zip(self._starts(), self._blocks(), strict=True):
                if block.role == NUMBER:
                    known = block.numbers(table)
                    filled = X[:, j] * block.scale + block.center
                    X[:, j] = np.where(np.isnan(known), filled, known)
        return X

    def _standardised(self, table: Table, phi: np.ndarray) -> np.ndarray:
        """Return the features with standardised numbers, those missing as NaN."""
        X = phi @ self._maps()
        for j, c in zip(self._starts(), self._chosen, strict=True):
            block = self._expectations.blocks[c]
            if block.role == NUMBER:
                divisor = block.scale / np.sqrt(self._weights[c])
                X[:, j] = (block.numbers(table) - block.center) / divisor
        return X

    def _maps(self) -> np.ndarray:
        """Return the map of functions to all features, zero for numbers."""
        n_functions = len(self._expectations.coefficients)
        parts = self._expectations.split(self._expectations.maps)
        number = np.zeros((n_functions, 1))
        return np.hstack([parts.get(c, number) for c in self._chosen])

    def _expected(self, phi: np.ndarray, X: np.ndarray) -> np.ndarray:
        """Return standardised features with all missing numbers as expected."""
        filled = X.copy()
        for j, c in zip(self._starts(), self._chosen, strict=True):
            rows = np.flatnonzero(np.isnan(X[:, j]))
            if len(rows):
                number = self._expectations.expected(phi[rows], c)
                filled[rows, j] = np.sqrt(self._weights[c]) * number
        return filled

    def _starts(self) -> list[int]:
        """Return the position of the first feature of each block."""
        sizes = [n_features(block) for block in self._blocks()]
        return [0, *np.cumsum(sizes).tolist()][:-1]

    def _warn_of_unseen(self, table: Table, warned: set[str]) -> None:
        for block in self._expectations.blocks:
            if block.role != CATEGORY or block.name in warned:
                continue
            if unseen := block.unseen(table):
                warned.add(block.name)
                shown = ", ".join(map(repr, unseen[:N_SHOWN]))
                warnings.warn(
                    f"Column {block.name!r} has values that it did not have in fit "
                    f"({shown}): they are treated as missing.",
                    UserWarning,
                    stacklevel=2,
                )

    def _describe(
        self, decision: Decision, used: list[str], name: str, n_missing: int
    ) -> Column:
        """Return what was made of a column."""
        if name not in used:
            reason = decision.reason
            if decision.role == TEXT:
                reason += "; left out beside other columns: cluster the texts alone"
            return Column(decision.role, 0.0, reason, n_missing)
        c = used.index(name)
        weight, share = self._weights[c], self._expectations.shares[c]
        unknown = "the other columns tell nothing about it"
        reason = decision.reason
        if decision.role == NUMBER:
            reason += f"; it has one mode, and {unknown}" if weight < 1.0 else ""
        elif share < MIN_SHARE:
            reason += f"; {unknown}"
        else:
            reason += f"; the other columns explain {share:.0%} of it"
        return Column(decision.role, weight, reason, n_missing)

    def _check_features(self) -> None:
        if not self._chosen:
            shown = ", ".join(f"{n} ({c.role})" for n, c in self.columns_.items())
            raise ValueError(
                f"No column can be compared: {shown}. Add columns, or give their roles."
            )


def _as_number(decision: Decision) -> Decision:
    """Return the role of a column in a table of numbers alone, which is not changed."""
    if decision.role in (FEW, CATEGORY, ID, CONSTANT):
        return Decision(NUMBER, f"{decision.reason}, in a table of numbers")
    return decision


def _check_finite(table: Table) -> None:
    for name in table.number_names:
        if np.isinf(table.column(name)).any():
            raise ValueError(
                f"Input X contains infinity in column {name!r}: leave the cell empty "
                "if its value is missing."
            )
