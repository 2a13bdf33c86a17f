"""What distinguishes a cluster: columns with their values, and words."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from maxmargin.report.observed import observed
from maxmargin.report.pictures import picture_columns
from maxmargin.tables.samples import TableSamples
from maxmargin.texts.keywords import telling_words

N_DIFFERENCES = 6  # features shown for each cluster
LEAST_DIFFERENCE = 0.05  # in standard deviations; less is shown as 0.0
N_SUMMARY = 2  # features that a summary in words has
N_DECIDING = 3  # columns in which two groups differ
MAX_ROWS = 20_000  # for the quartiles of columns


class FeatureDifference(NamedTuple):
    """A feature whose means inside and outside a cluster differ."""

    name: str
    inside: float  # mean, in the units of the table; the share of rows with a value
    outside: float
    difference: float  # in standard deviations of all rows
    # The quartiles inside and outside; None for a column with few values, a value of a
    # category, and a word.
    ranges: tuple[float, float, float, float] | None = None
    is_date: bool = False  # days since 1970
    is_share: bool = False  # of the rows with a value or a word
    value: str = ""  # of a column that has two of them, whose share is told

    @property
    def label(self) -> str:
        """Return the column and the value in words."""
        name = self.name.replace("=", " ", 1) if self.is_share else self.name
        return f"{name} {self.value}".rstrip()

    @property
    def values(self) -> tuple[str, str]:
        """Return the values of the middle half inside and outside, means or shares."""
        if self.is_share:
            return _percent(self.inside), _percent(self.outside)
        show = date_of if self.is_date else short_number
        if self.ranges is None:
            return f"mean {show(self.inside)}", f"mean {show(self.outside)}"
        return _range(*self.ranges[:2], show), _range(*self.ranges[2:], show)

    @property
    def text(self) -> str:
        """Return the difference in words."""
        inside, outside = self.values
        return f"{self.label} {inside}, others {outside}"


def feature_differences(
    samples: TableSamples, own: np.ndarray
) -> list[FeatureDifference]:
    """Return the features whose means differ most inside and outside a cluster."""
    if int(own.sum()) in (0, samples.n_rows):
        return []
    if samples.texts is not None:
        words = telling_words(samples.X, own, N_DIFFERENCES).tolist()
        return _words_between(samples, words, own, ~own)
    return _columns_between(samples, own, ~own)


class DecidingColumn(NamedTuple):
    """What two groups of rows, and some rows in question, have in a column."""

    name: str
    first: str
    second: str
    asked: str


def deciding_columns(
    samples: TableSamples, first: np.ndarray, second: np.ndarray, asked: np.ndarray
) -> list[DecidingColumn]:
    """Return the columns, or words, in which two groups of rows differ most.

    Groups and the rows in question are given by a boolean for each row.
    """
    if not (first.any() and second.any() and asked.any()):
        return []
    if picture_columns(samples) is not None:
        return []
    if samples.texts is None:
        names = _names(samples)
        found = one_per_column(_columns_between(samples, first, second))[:N_DECIDING]
        numbers = [names.index(one.name) for one in found]
        ours = _described(samples, numbers, asked, second)
    else:
        words = _words_that_decide(samples, first, second)
        found = _words_between(samples, words, first, second)
        ours = _words_between(samples, words, asked, second)
    return [
        DecidingColumn(one.label, *one.values, other.values[0])
        for one, other in zip(found, ours, strict=True)
    ]


def _words_that_decide(
    samples: TableSamples, first: np.ndarray, second: np.ndarray
) -> list[int]:
    """Return the words that tell two groups of texts from each other, of both."""
    X = samples.X[np.flatnonzero(first | second)]
    known = np.flatnonzero(np.bincount(X.nonzero()[1], minlength=X.shape[1]))
    own = first[first | second]
    sides = (telling_words(X[:, known], one, N_DECIDING) for one in (own, ~own))
    return list(dict.fromkeys(int(known[w]) for words in sides for w in words))


def _columns_between(
    samples: TableSamples, own: np.ndarray, others: np.ndarray
) -> list[FeatureDifference]:
    """Return the features whose means differ most between two groups of rows."""
    inside, outside = _means(samples, own, others)
    either = own | others
    deviations = (samples.X if either.all() else samples.X[either]).std(axis=0)
    varies = deviations > 0
    difference = np.zeros(len(deviations))
    difference[varies] = (inside - outside)[varies] / deviations[varies]
    # What features say of some columns is an expectation, which depends on others: they
    # vary less than the columns do.
    known = observed(samples.cells, _groups(own, others), 2)
    for j, name in enumerate(_names(samples)):
        if name in known:
            first, second = known[name].means
            deviation = np.sqrt(known[name].variance)
            difference[j] = (first - second) / deviation if deviation > 0 else 0.0
    order = np.argsort(-np.abs(difference), kind="stable")[:N_DIFFERENCES]
    clear = np.abs(difference[order]) >= LEAST_DIFFERENCE
    clear[0] = difference[order[0]] != 0  # the largest one, however small
    order = order[clear]
    found = _described(samples, order.tolist(), own, others)
    return [
        one._replace(difference=float(difference[j]))
        for j, one in zip(order.tolist(), found, strict=True)
    ]


def _described(
    samples: TableSamples, order: list[int], own: np.ndarray, others: np.ndarray
) -> list[FeatureDifference]:
    """Return features with their values in two groups of rows, in the table's units."""
    X, table = samples.X, samples.preprocessor
    rows = np.tile(_means(samples, own, others), (3, 1))
    # Only these features of the rows count: all are turned into units at once.
    rows[2:, order] = _quartiles(X[:, order], own, others)
    in_units = table.inverse_transform(rows).T.tolist()
    known, names = observed(samples.cells, _groups(own, others), 2), _names(samples)
    numbers, found = set(table.columns), []
    for j in order:
        name, (mean, other, *ranges) = names[j], in_units[j]
        if name in known:
            mean, other = known[name].means.tolist()
        shown = tuple(ranges) if name in numbers and name not in samples.cells else None
        about = table.encoder.columns_.get(name)
        is_date = about is not None and about.is_date
        one = FeatureDifference(name, mean, other, 0.0, shown, is_date)
        if name not in numbers:
            one = one._replace(is_share=True)
        elif name in known and isinstance(cells := samples.cells[name], np.ndarray):
            one = _share_of_two(one, cells)
        found.append(one)
    return found


def _share_of_two(one: FeatureDifference, cells: np.ndarray) -> FeatureDifference:
    """Return the share of the larger value in place of the mean if there are two."""
    low, high = np.nanmin(cells), np.nanmax(cells)
    if (
        one.is_date
        or high == low
        or not ((cells == low) | (cells == high) | np.isnan(cells)).all()
    ):
        return one
    inside, outside = ((mean - low) / (high - low) for mean in one[1:3])
    value = short_number(high)
    return one._replace(inside=inside, outside=outside, is_share=True, value=value)


def _names(samples: TableSamples) -> list[str]:
    """Return the names of the features; that of a category's value has a ``=``."""
    return [str(name) for name in samples.preprocessor.feature_names]


def _groups(own: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return the number of the group of each row, -1 for rows of neither."""
    return np.where(own, 0, np.where(others, 1, -1))


def _means(samples: TableSamples, own: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return the means of the features in two groups of rows."""
    return np.stack(
        [each.astype(float) @ samples.X / each.sum() for each in (own, others)]
    )


def _quartiles(X: np.ndarray, own: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return the lower and upper quartiles of columns, first inside, then outside."""
    parts = []
    for rows in (np.flatnonzero(own), np.flatnonzero(others)):
        step = 1 + len(rows) // MAX_ROWS
        parts.append(np.quantile(X[rows[::step]], [0.25, 0.75], axis=0))
    return np.concatenate(parts)


def _words_between(
    samples: TableSamples, words: list[int], own: np.ndarray, others: np.ndarray
) -> list[FeatureDifference]:
    """Return words with the shares of texts of two groups that have them."""
    names, either, found = samples.preprocessor.feature_names, own | others, []
    for w in words:
        has = np.zeros(len(own))
        has[samples.X[:, [w]].nonzero()[0]] = 1.0
        inside, outside = float(has[own].mean()), float(has[others].mean())
        difference = (inside - outside) / max(float(has[either].std()), 1e-9)
        one = FeatureDifference(names[w], inside, outside, difference, is_share=True)
        found.append(one)
    return found


def summary_of(samples: TableSamples, found: list[FeatureDifference]) -> str:
    """Return what distinguishes a cluster in a few words; nothing for pictures."""
    if samples.texts is not None:
        return ", ".join(one.name for one in found if one.difference > 0)
    if picture_columns(samples) is not None:
        return ""
    return "; ".join(one.text for one in one_per_column(found)[:N_SUMMARY])


def one_per_column(found: list[FeatureDifference]) -> list[FeatureDifference]:
    """Return one feature of each column; of a category, a value that rows have more."""
    chosen: dict[str, FeatureDifference] = {}
    for one in found:
        column = one.name.partition("=")[0] if one.is_share else one.name
        known = chosen.setdefault(column, one)
        if known.is_share and known.difference < 0 < one.difference:
            chosen[column] = one
    return [*chosen.values()]


def separating_columns(samples: TableSamples, labels: np.ndarray) -> list[str]:
    """Return the columns whose means differ most between clusters; none for pictures.

    They are those with the largest share of variance between the clusters.
    """
    known = samples.preprocessor is not None and samples.texts is None
    if not known or picture_columns(samples) is not None:
        return []
    codes = np.unique(labels, return_inverse=True)[1]
    X, sizes = samples.X, np.bincount(codes)
    means = np.zeros((len(sizes), X.shape[1]))
    np.add.at(means, codes, X)
    means /= sizes[:, None]
    total = np.maximum(len(X) * X.var(axis=0), np.finfo(float).tiny)
    shares = sizes @ np.square(means - X.mean(axis=0)) / total
    found, names = observed(samples.cells, codes, len(sizes)), _names(samples)
    for j, name in enumerate(names):
        if name in found:
            shares[j] = found[name].share_between
    order = np.argsort(-shares, kind="stable").tolist()
    columns = [names[j].partition("=")[0] for j in order]
    return list(dict.fromkeys(columns))[:N_SUMMARY]


def _percent(share: float) -> str:
    return f"{abs(round(100 * share)):.0f}%"


def _range(low: float, high: float, show: Callable[[float], str]) -> str:
    """Return two values, or one if they look alike."""
    first, last = show(low), show(high)
    return first if first == last else f"{first} to {last}"


def date_of(days: float) -> str:
    """Return the date that is so many days after 1970 began."""
    return str(np.datetime64(round(days), "D"))


def short_number(value: Any) -> str:
    """Return a number with three digits, and no exponent unless it is needed."""
    if value == 0 or 1e-4 <= abs(value) < 1000:
        return f"{value:.3g}"
    return f"{value:,.0f}" if abs(value) < 1e7 and value >= 1 else f"{value:.3g}"
