"""Given labels and pairwise constraints: reading and checking them."""

import warnings
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import assert_all_finite, check_array, column_or_1d

from maxmargin.metrics.matching import contingency_table
from maxmargin.rows.sample import Sample
from maxmargin.search.constraints import Constraints, make_constraints

UNLABELLED = -1
UNLABELLED_NAMES = ("-1", "-1.0")
MISSING_NAMES = ("None", "nan", "<NA>", "NaT")  # as the objects are printed


def split_labels(y, n_samples: int, name: str = "y") -> tuple[np.ndarray, np.ndarray]:
    """Return the classes, sorted, and the number of each sample's class, -1 if missing.

    A label is missing if it is -1, ``"-1"``, NaN, ``None`` or ``pandas.NA``.
    """
    if not isinstance(getattr(y, "dtype", np.dtype(object)), np.dtype):
        y = np.asarray(y, dtype=object)  # a type of pandas that has missing values
    y = column_or_1d(y, warn=True)
    if len(y) != n_samples:
        raise ValueError(
            f"{name} has {len(y)} labels and X has {n_samples} samples: give one "
            "label for each, -1 if it is not known."
        )
    given = _given(y)
    numbers = np.full(n_samples, UNLABELLED)
    if not given.any():
        return np.empty(0, dtype=int), numbers
    known = y[given]
    if known.dtype == object:
        known = np.array(known.tolist())
    assert_all_finite(known, input_name=name)
    check_classification_targets(known)
    classes, numbers[given] = np.unique(known, return_inverse=True)
    return classes, numbers


def _given(y: np.ndarray) -> np.ndarray:
    """Return a mask of the labels that are not missing."""
    if y.dtype.kind == "b":
        return np.ones(len(y), dtype=bool)
    if y.dtype == object:
        return np.array([not _is_missing(label) for label in y], dtype=bool)
    if y.dtype.kind in "US":
        return y != y.dtype.type("-1" if y.dtype.kind == "U" else b"-1")
    return (y != UNLABELLED) & (y == y)  # NaN differs from itself


def _is_missing(label) -> bool:
    """Tell whether a label among objects is missing; the string "None" is a name."""
    name = str(label)
    return name in UNLABELLED_NAMES or (
        name in MISSING_NAMES and not isinstance(label, str)
    )


def join_classes(
    classes: np.ndarray, numbers: np.ndarray, init, n_samples: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return all classes, and the numbers of those of ``y`` and of ``init`` in them."""
    if np.ndim(init) != 1:
        raise ValueError(
            f"init has {np.ndim(init)} dimensions: give the class of each sample."
        )
    others, start = split_labels(init, n_samples, "init")
    if (start < 0).any():
        raise ValueError(
            f"init has no class for sample {np.argmax(start < 0)}: give one for each."
        )
    if not len(classes):
        return others, numbers, start
    if (classes.dtype.kind in "US") != (others.dtype.kind in "US"):
        raise ValueError("y and init name classes differently: use the same names.")
    every = np.union1d(classes, others)
    numbers = np.where(numbers < 0, -1, np.searchsorted(every, classes)[numbers])
    return every, numbers, np.searchsorted(every, others)[start]


def check_n_classes(
    n_clusters: int | None, classes: np.ndarray, with_start: bool
) -> None:
    """Warn of fewer clusters than given classes, and of a single class.

    A single class with a start for each sample is what was asked for.
    """
    if n_clusters is not None and n_clusters < len(classes):
        warnings.warn(
            f"n_clusters={n_clusters} is less than the {len(classes)} classes that are "
            "given, which all stay: set n_clusters=None, or a larger number.",
            stacklevel=5,
        )
    if n_clusters is None and len(classes) == 1 and not with_start:
        warnings.warn(
            f"All labels are {classes[0]!s}, so that all samples get this class: give "
            "labels of other classes, or n_clusters. The label -1 means that the class "
            "is not known.",
            stacklevel=5,
        )


def name_classes(classes: np.ndarray, n_classes: int) -> np.ndarray:
    """Return the classes, followed by new names up to ``n_classes``.

    New names are the smallest unused ints from 0 on; if the classes are strings, they
    are ``"new 1"``, ``"new 2"`` and so on.
    """
    missing = n_classes - len(classes)
    if missing <= 0:
        return classes
    if classes.dtype.kind in "US":
        candidates = (f"new {i}" for i in range(1, 2 * n_classes + 1))
        unused = [name for name in candidates if name not in set(classes.astype(str))]
        return np.concatenate([classes.astype(str), unused[:missing]])
    used = set(classes.tolist())
    new = [i for i in range(2 * n_classes) if i not in used][:missing]
    dtype = classes.dtype if classes.dtype.kind in "iuf" else int
    return np.concatenate([classes.astype(dtype), np.array(new, dtype=dtype)])


def check_pairs(name: str, pairs, n_samples: int) -> np.ndarray:
    """Return pairs of sample numbers as an array of two columns."""
    if pairs is None or len(pairs) == 0:
        return np.empty((0, 2), dtype=np.int64)
    pairs = check_array(pairs, dtype=None, input_name=name)
    if pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
        raise ValueError(
            f"{name} must hold pairs of sample numbers, as ints in two columns."
        )
    if pairs.min() < 0 or pairs.max() >= n_samples:
        raise ValueError(
            f"{name} has sample numbers from {pairs.min()} to {pairs.max()}: they must "
            f"be between 0 and {n_samples - 1}."
        )
    return pairs.astype(np.int64)


@dataclass(frozen=True)
class GivenLabels:
    """The given labels and pairwise constraints of all samples."""

    numbers: np.ndarray  # (n,), class of each sample, -1 if not given
    must_link: np.ndarray  # (pairs, 2)
    cannot_link: np.ndarray  # (pairs, 2)
    n_classes: int
    start: np.ndarray | None = None  # (n,), classes before labels and pairs

    @property
    def empty(self) -> bool:
        """Return True if there is neither a label nor a pair."""
        return self.n_labelled + len(self.must_link) + len(self.cannot_link) == 0

    @cached_property
    def labelled(self) -> np.ndarray:
        """Return the classes that have a label."""
        return np.unique(self.numbers[self.numbers >= 0])

    @property
    def n_labelled(self) -> int:
        """Return the number of classes that have a label."""
        return len(self.labelled)

    @property
    def complete(self) -> bool:
        """Return True if each class has a label, so that labels only have to spread."""
        return self.n_labelled == self.n_classes

    @property
    def concerned(self) -> np.ndarray:
        """Return a mask of the samples with a label or in a pair."""
        result = self.numbers >= 0
        result[self.linked_rows] = True
        return result

    def to_search_first(
        self, weights: np.ndarray, limit: int | None, random: np.random.RandomState
    ) -> np.ndarray:
        """Return a mask of the samples that are searched before others.

        These are the concerned ones. If they are more than ``limit``, it is an equal
        number of each class, at most half of the limit, so that no class is left out.
        """
        first = self.concerned & (weights > 0)
        if limit is None or np.count_nonzero(first) <= limit:
            return first
        labelled = np.flatnonzero((self.implied >= 0) & (weights > 0))
        labelled = random.permutation(labelled)
        first[:] = False
        for c in self.labelled:
            members = labelled[self.implied[labelled] == c]
            first[members[: max(1, limit // (2 * self.n_classes))]] = True
        return first

    @cached_property
    def linked_rows(self) -> np.ndarray:
        """Return the samples in pairs, in increasing order."""
        return np.unique(np.concatenate([self.must_link, self.cannot_link]))

    @cached_property
    def links(self) -> Constraints:
        """Return the constraints of the samples in pairs."""
        rows = self.linked_rows
        return make_constraints(self.numbers[rows], *self._pair_positions(), rows)

    @property
    def of_all(self) -> Constraints:
        """Return the constraints of all samples."""
        return make_constraints(self.numbers, self.must_link, self.cannot_link)

    def _pair_positions(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the pairs as positions in ``linked_rows``."""
        rows = self.linked_rows
        must_link = np.searchsorted(rows, self.must_link)
        return must_link, np.searchsorted(rows, self.cannot_link)

    @cached_property
    def implied(self) -> np.ndarray:
        """Return the given classes, and those that must-links with given ones imply."""
        numbers = self.numbers.copy()
        numbers[self.linked_rows] = self.links.labels[self.links.groups]
        return numbers

    def check(self, weights: np.ndarray) -> None:
        """Raise an error for contradictory constraints or classes without weight."""
        given = (self.implied >= 0) & (weights > 0)
        if len(np.unique(self.implied[given])) < self.n_labelled:
            raise ValueError(
                "sample_weight is zero for all labels of some class: give one of them "
                "a positive weight, or drop the labels of that class."
            )

    def among(self, sample: Sample, weights: np.ndarray) -> Constraints:
        """Return the constraints of the distinct samples of a search.

        Samples in pairs are separate from the distinct samples, because equal samples
        may have different labels, and those without weight are not searched. A sample
        in pairs is joined to its class, if that is known, else to the distinct sample
        that it equals.
        """
        labels, voters = self._vote(sample, weights)
        rows, n_distinct = self.linked_rows, len(labels)
        classes = self.implied[rows]
        partners = np.where(classes >= 0, n_distinct + classes, sample.inverse[rows])
        positions = n_distinct + self.n_classes + np.arange(len(rows))
        joined = np.column_stack([positions, partners])[partners >= 0]
        must_link, cannot_link = (positions[pairs] for pairs in self._pair_positions())
        constraints = make_constraints(
            np.concatenate([labels, np.arange(self.n_classes), classes]),
            np.concatenate([joined, must_link]),
            cannot_link,
            np.concatenate([voters, np.full(self.n_classes, -1), rows]),
        )
        return constraints.take_first(n_distinct)

    def _vote(
        self, sample: Sample, weights: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the class of each distinct sample, -1 for none, and a row with it."""
        inverse, classes = sample.inverse, self.implied
        given = np.flatnonzero((classes >= 0) & (inverse >= 0))
        n_distinct, k = len(sample.indices), self.n_classes
        votes = contingency_table(inverse, classes, n_distinct, k, weights)
        labels = np.where(votes.any(axis=1), votes.argmax(axis=1), -1)
        voters = sample.indices.copy()
        winning = given[classes[given] == labels[inverse[given]]][::-1]
        voters[inverse[winning]] = winning
        return labels, voters

    def proportions(self, weights: np.ndarray) -> np.ndarray:
        """Return the proportions of the classes among the given labels."""
        if self.n_labelled < self.n_classes:
            raise ValueError(
                "balance='labels' needs a label of each class: give proportions, "
                "or 'free'."
            )
        given, k = self.numbers >= 0, self.n_classes
        totals = np.bincount(self.numbers[given], weights[given], minlength=k)
        return totals / totals.sum()
