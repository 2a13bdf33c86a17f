"""What distinguishes a cluster: columns with their values, words, and pictures."""

import base64
import io
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from maxmargin.tables.samples import TableSamples
from maxmargin.texts.keywords import telling_words

N_DIFFERENCES = 6  # features shown for each cluster
LEAST_DIFFERENCE = 0.05  # in standard deviations; less is shown as 0.0
N_SUMMARY = 2  # features that a summary in words has
N_DECIDING = 3  # columns in which two groups differ
MAX_ROWS = 20_000  # for the quartiles of columns
LEAST_PIXELS, MOST_PIXELS = 16, 4096  # of rows that are pictures
N_PICTURES = 4  # of each cluster, the mean first
PIXEL = re.compile(r"^(?:(?:pixel|pix|px)[\W_]*)?(\d+)(?:(?:x|[\W_]+)(\d+))?$", re.I)


class FeatureDifference(NamedTuple):
    """A feature whose means inside and outside a cluster differ."""

    name: str
    inside: float  # mean, in the units of the table; the share of rows with a value
    outside: float
    difference: float  # in standard deviations of all rows
    # The quartiles inside and outside; None for the value of a category and for a word.
    ranges: tuple[float, float, float, float] | None = None
    is_date: bool = False  # days since 1970

    @property
    def values(self) -> tuple[str, str]:
        """Return the values of the middle half inside and outside, or the shares."""
        if self.ranges is None:
            return _percent(self.inside), _percent(self.outside)
        show = date_of if self.is_date else short_number
        return _range(*self.ranges[:2], show), _range(*self.ranges[2:], show)

    @property
    def text(self) -> str:
        """Return the difference in words."""
        inside, outside = self.values
        return f"{self.name.replace('=', ' ', 1)} {inside}, others {outside}"


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
        names = [str(name) for name in samples.preprocessor.feature_names]
        found = one_per_column(_columns_between(samples, first, second))[:N_DECIDING]
        numbers = [names.index(one.name) for one in found]
        ours = _described(samples, numbers, asked, second)
    else:
        words = _words_that_decide(samples, first, second)
        found = _words_between(samples, words, first, second)
        ours = _words_between(samples, words, asked, second)
    return [
        DecidingColumn(one.name.replace("=", " ", 1), *one.values, other.values[0])
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
    inside, outside = means = _means(samples, own, others)
    either = own | others
    deviations = (samples.X if either.all() else samples.X[either]).std(axis=0)
    varies = deviations > 0
    difference = np.zeros(len(deviations))
    difference[varies] = (inside - outside)[varies] / deviations[varies]
    # What features say of a category is an expectation, which depends on other columns:
    # they vary less than the category does.
    expected = samples.preprocessor.inverse_transform(means)
    share_own, known = own.sum() / either.sum(), _shares(samples, own, others)
    for j, name in _categories(samples):
        shares = known.get(name, expected[:, j])
        mean = np.clip(share_own * shares[0] + (1 - share_own) * shares[1], 0.0, 1.0)
        deviation = np.sqrt(mean * (1.0 - mean))
        difference[j] = (shares[0] - shares[1]) / deviation if deviation else 0.0
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
    numbers, shares, found = set(table.columns), _shares(samples, own, others), []
    for j in order:
        name, (mean, other, *ranges) = str(table.feature_names[j]), in_units[j]
        shown = tuple(ranges) if name in numbers else None
        if shown is None:
            mean, other = shares.get(name, (mean, other))
        known = table.encoder.columns_.get(name)
        is_date = known is not None and known.is_date
        found.append(FeatureDifference(name, mean, other, 0.0, shown, is_date))
    return found


def _categories(samples: TableSamples) -> list[tuple[int, str]]:
    """Return number and name of the features that are values of categories."""
    table = samples.preprocessor
    numbers = set(table.columns)
    names = enumerate(table.feature_names)
    return [(j, str(name)) for j, name in names if name not in numbers]


def _means(samples: TableSamples, own: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return the means of the features in two groups of rows."""
    return np.stack(
        [each.astype(float) @ samples.X / each.sum() for each in (own, others)]
    )


def _shares(
    samples: TableSamples, own: np.ndarray, others: np.ndarray
) -> dict[str, tuple[float, float]]:
    """Return the shares of two groups of rows that have each value of a category."""
    codes = np.where(own, 0, np.where(others, 1, -1))
    found = _shares_by_group(samples, codes, 2)
    return {name: (float(s[0]), float(s[1])) for name, (s, _) in found.items()}


def _shares_by_group(
    samples: TableSamples, codes: np.ndarray, n_groups: int
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return shares of rows with each value of a category, and the sizes of groups.

    Missing values do not count, nor rows of group -1. A category is left out if it is
    missing in a whole group.
    """
    found = {}
    for column, text in samples.categories.items():
        n_values = len(text.values)
        known = (text.codes >= 0) & (codes >= 0)
        cells = codes[known] * n_values + text.codes[known]
        counts = np.bincount(cells, minlength=n_groups * n_values)
        table = counts.reshape(n_groups, n_values)
        sizes = table.sum(axis=1)
        if sizes.all():
            shares = (table / sizes[:, None]).T
            for value, share in zip(text.values, shares, strict=True):
                found[f"{column}={value}"] = share, sizes
    return found


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
        found.append(FeatureDifference(names[w], inside, outside, difference))
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
        column = one.name if one.ranges else one.name.partition("=")[0]
        known = chosen.setdefault(column, one)
        if known.ranges is None and known.difference < 0 < one.difference:
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
    expected = samples.preprocessor.inverse_transform(means)
    found = _shares_by_group(samples, codes, len(sizes))
    for j, name in _categories(samples):
        shares[j] = _share_of_variance(*found.get(name, (expected[:, j], sizes)))
    order = np.argsort(-shares, kind="stable").tolist()
    names = samples.preprocessor.feature_names
    columns = [str(names[j]).partition("=")[0] for j in order]
    return list(dict.fromkeys(columns))[:N_SUMMARY]


def _share_of_variance(means: np.ndarray, sizes: np.ndarray) -> float:
    """Return the share between clusters of what varies in zeros and ones."""
    mean = float(np.clip(means @ sizes / sizes.sum(), 0.0, 1.0))
    between = float(np.square(means - mean) @ sizes / sizes.sum())
    return between / max(mean * (1.0 - mean), np.finfo(float).tiny)


class PictureColumns(NamedTuple):
    """The columns of rows that are pictures."""

    order: np.ndarray  # of the features, from the first pixel to the last
    shape: tuple[int, int]  # rows and columns of pixels


def picture_columns(samples: TableSamples) -> PictureColumns | None:
    """Return how features make up a picture, None if they do not.

    Their names are ``pixel0``, ``pixel_3_5``, ``12x7`` and so on. With two numbers
    these are the row and the column, otherwise pictures are square.
    """
    if samples.texts is not None or samples.preprocessor is None:
        return None
    names = [str(name) for name in samples.preprocessor.feature_names]
    found = [PIXEL.match(name) for name in names]
    if not LEAST_PIXELS <= len(names) <= MOST_PIXELS or not all(found):
        return None
    places = [[int(n) for n in match.groups() if n] for match in found if match]
    if len({len(place) for place in places}) > 1:
        return None
    grid = np.array(places)
    sides = [len(np.unique(numbers)) for numbers in grid.T]
    if len(sides) == 1:
        side = round(len(names) ** 0.5)
        named = names[0][0].isalpha()
        sides = [side, side] if named and side**2 == len(names) else []
    if len(sides) < 2 or sides[0] * sides[1] != len(names):
        return None
    return PictureColumns(np.lexsort(grid.T[::-1]), (sides[0], sides[1]))


def cluster_pictures(samples: TableSamples, own: np.ndarray) -> list[str]:
    """Return the mean of a cluster and its most typical rows as pictures, if they are.

    Each is the address of a picture with its content, for the attribute ``src``.
    """
    columns = picture_columns(samples)
    if columns is None or not own.any():
        return []
    X = samples.X[own]
    mean = X.mean(axis=0)
    near = np.argsort(np.square(X - mean).sum(axis=1), kind="stable")
    rows = np.vstack([mean, X[near[: N_PICTURES - 1]]])
    shades = samples.preprocessor.inverse_transform(rows)[:, columns.order]
    return [_picture(one.reshape(columns.shape)) for one in shades]


def _picture(values: np.ndarray) -> str:
    """Return values as a picture, dark where they are large."""
    from PIL import Image

    high = max(float(values.max()), np.finfo(float).tiny)
    shades = np.rint(255 * (1 - np.clip(values / high, 0, 1))).astype(np.uint8)
    file = io.BytesIO()
    Image.fromarray(shades).save(file, format="PNG")
    return "data:image/png;base64," + base64.b64encode(file.getvalue()).decode()


def _percent(share: float) -> str:
    return f"{abs(round(100 * share)):.0f} %"


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
