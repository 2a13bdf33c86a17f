"""`TableEncoder`: the columns of a table as features that clusters can be found in."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from maxmargin.documented import DocumentedMixin
from maxmargin.tables.basis import make_blocks
from maxmargin.tables.expectations import MIN_SHARE
from maxmargin.tables.features import (
    ExpectedColumns,
    Features,
    PlainNumbers,
    TextColumns,
    fit_columns,
)
from maxmargin.tables.frames import Frame, TableFrame, open_frame, regroup
from maxmargin.tables.objects import is_table
from maxmargin.tables.roles import (
    CATEGORY,
    CONSTANT,
    DATE,
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
MAX_COLUMNS = 2000  # of numbers, between which expectations are learned
CHUNK = 4096  # rows that are encoded at once
N_SHOWN = 3  # values in a message


@dataclass(frozen=True)
class Column:
    """What a `TableEncoder` made of a column."""

    role: str  # "number", "few values", "category", "id", "constant" and others
    weight: float  # variance of its features in total; that of a number is 1
    reason: str
    n_missing: int = 0  # values, of all rows of the fit

    @property
    def is_date(self) -> bool:
        """Return True if the numbers are days since 1970."""
        return self.reason.startswith(DATE)

    @property
    def is_boolean(self) -> bool:
        """Return True if the categories 0 and 1 are false and true."""
        return self.reason.startswith("a boolean")


class TableEncoder(TransformerMixin, DocumentedMixin, BaseEstimator):
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

    A table of numbers alone is not changed, but for missing values. So are numbers
    beside ids and other columns that are left out. Texts are left out
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
        Whether all columns that are used are numbers, so that they are not changed.
    is_text_ : bool
        Whether the features are words.
    n_features_in_ : int
        Number of columns seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, if all of them are strings.

    Notes
    -----
    Missing values in more than 2000 columns of numbers are medians of their columns,
    and so are those that a table of numbers has for the first time in ``transform``.
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
        return self.fit_frame(self._open(X, reset=True))

    def fit_frame(self, frame: Frame | TableFrame) -> Self:
        """Fit to an opened table, whose columns may have been named by the user."""
        names = frame.names
        given = check_roles(self.roles, names)
        table, n_missing = frame.sample(names, MAX_ROWS)
        if not len(table):
            raise ValueError(f"Found array with 0 sample(s) (shape=(0, {len(names)})).")
        _check_finite(table)
        decisions = decide_columns(frame, table, given)
        used = [name for name, found in decisions.items() if found.role in USED]
        texts = [name for name, found in decisions.items() if found.role == TEXT]
        self.is_text_ = bool(texts) and not used
        self.is_numeric_ = bool(used) and _are_numbers(table, decisions)
        if self.is_text_:
            self._features: Features = _fit_texts(frame, texts)
            weights = dict.fromkeys(texts, 1.0)
        elif self.is_numeric_ and (len(used) > MAX_COLUMNS or not n_missing.any()):
            medians = [float(np.nanmedian(table.column(name))) for name in used]
            self._features = PlainNumbers(tuple(used), np.array(medians))
            weights = dict.fromkeys(used, 1.0)
        else:
            blocks = make_blocks(table, used, decisions)
            _check_any(blocks, decisions)
            standardise = self.scale and not self.is_numeric_
            self._features = fit_columns(table, blocks, standardise)
            weights = dict(zip(used, self._features.weights.tolist(), strict=True))
            _check_any(any(weights.values()), decisions)
        self.columns_ = {
            name: self._describe(name, decisions[name], weights.get(name), int(count))
            for name, count in zip(names, n_missing, strict=True)
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
        warned: set[str] = set()
        for part in frame.parts(self._features.columns, CHUNK):
            _check_finite(part)
            self._warn_of_unseen(part, warned)
            yield self._features.encode(part)

    @property
    def features(self) -> Features:
        """Return what encodes the cells of opened tables."""
        check_is_fitted(self)
        return self._features

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
        return np.array(self.features.names, dtype=object)

    def _open(self, X: Any, reset: bool) -> Frame:
        if not is_table(X):
            raise TypeError(
                f"A TableEncoder encodes data frames and Arrow tables, not "
                f"{type(X).__name__}: make a data frame of it."
            )
        frame = open_frame(X)
        validate_data(self, frame.opened.header, reset=reset, skip_check_array=True)
        return frame

    def _warn_of_unseen(self, table: Table, warned: set[str]) -> None:
        for name, (_, values) in self._features.unseen(table).items():
            if name not in warned:
                warned.add(name)
                shown = ", ".join(map(repr, values[:N_SHOWN]))
                warnings.warn(
                    f"Column {name!r} has values that it did not have in fit "
                    f"({shown}): they are treated as missing.",
                    UserWarning,
                    stacklevel=2,
                )

    def _describe(
        self, name: str, decision: Decision, weight: float | None, n_missing: int
    ) -> Column:
        """Return what was made of a column."""
        reason = decision.reason
        if weight is None and decision.role == TEXT:
            reason += "; left out beside other columns: cluster the texts alone"
        if weight is not None and isinstance(self._features, ExpectedColumns):
            reason += self._agreement(name, decision.role, weight)
        return Column(decision.role, weight or 0.0, reason, n_missing)

    def _agreement(self, name: str, role: str, weight: float) -> str:
        """Return what the other columns tell about one, to be added to its reason."""
        features = self._features
        assert isinstance(features, ExpectedColumns)
        share = features.expectations.shares[features.columns.index(name)]
        unknown = "the other columns tell nothing about it"
        if role == NUMBER:
            return f"; it has one mode, and {unknown}" if weight < 1.0 else ""
        if share < MIN_SHARE:
            return f"; {unknown}"
        return f"; the other columns explain {share:.0%} of it"


def decide_columns(
    frame: Frame | TableFrame, table: Table, given: dict[str, str]
) -> dict[str, Decision]:
    """Return the role of each column.

    In a data frame of numbers alone all columns are numbers, as in an array. Numbers
    of a table whose other columns are left out stay numbers as well, few values or not.
    """
    found = {
        name: decide(
            table, name, given.get(name), name in frame.groups, name in frame.dates
        )
        for name in frame.names
    }
    for name in frame.named & found.keys():
        if found[name].role == ID:
            role = NUMBER if name in table.number_names else CATEGORY
            found[name] = Decision(role, "named as a feature", found[name].form)
    if {FEW, CATEGORY, TEXT} & set(given.values()):
        return found
    unchanged: tuple[str, ...] = (FEW, CONSTANT)
    if frame.is_numeric:
        unchanged = (FEW, CATEGORY, ID, CONSTANT)
    elif not _are_numbers(table, found, (NUMBER, FEW)):
        return found
    return {
        name: Decision(NUMBER, f"{one.reason}, in a table of numbers")
        if one.role in unchanged and name in table.number_names
        else one
        for name, one in found.items()
    }


def _are_numbers(
    table: Table, decisions: dict[str, Decision], roles: tuple[str, ...] = (NUMBER,)
) -> bool:
    """Return True if all columns that are used are stored as numbers, with a role."""
    return all(
        one.role in roles and name in table.number_names
        for name, one in decisions.items()
        if one.role in USED
    )


def _fit_texts(frame: Frame | TableFrame, texts: list[str]) -> TextColumns:
    """Learn the words of a table of texts."""
    parts = frame.parts(texts, CHUNK)
    joined = [one for part in parts for one in join_texts(part, texts)]
    return TextColumns(tuple(texts), TextEncoder().fit(joined))


def _check_any(found: Any, decisions: dict[str, Decision]) -> None:
    if not found:
        shown = ", ".join(f"{name} ({one.role})" for name, one in decisions.items())
        raise ValueError(
            f"No column can be compared: {shown}. Add columns, or give their roles."
        )


def _check_finite(table: Table) -> None:
    for name in table.number_names:
        if np.isinf(table.column(name)).any():
            raise ValueError(
                f"Input X contains infinity in column {name!r}: leave the cell empty "
                "if its value is missing."
            )
