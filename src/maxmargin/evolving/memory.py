r"""The memory of objects: their rows averaged over time, with weights that fade.

The level of an object is the mean of its rows so far. A row of age a has the weight
``2^(-a / h)`` with the half-life h. With the sums

    N_i <- 2^(-gap / h) N_i + x_i,    m_i <- 2^(-gap / h) m_i + 1

over the snapshots, the level is ``N_i / m_i``. This is exponential smoothing, the
filter of a local level model, with the gain ``1 / m_i``. In an absence only the weight
m_i fades, so an object that returns has its old level with a small weight.

The columns of sparse rows are themselves things that come and go, such as the nodes of
a network. With the weight c_j of the snapshots in which a row has an entry in column j,
the level of an entry is ``N_ij / min(m_i, c_j)``: it is averaged over the time in which
both were there. Columns without entries in the present are left out. Rows of equal
length, as those of a network, are scaled to this length again.

The half-life needs no labels. For each of some half-lives, the level of an object is
the prediction of its next row, with the error ``e``. If errors have the density
``s^-d exp(-e / s)`` up to a constant, the scale s of largest likelihood is
``mean(e) / d``, and the likelihood that remains falls with the mean of the errors. So
the half-life with the smallest sum of distances is the most likely one. The normal
density gives the sum of squares in the same way. Distances are preferred, since few
objects must not decide for all: rows of n objects that fluctuate by s about their place
gain of the order ``n s`` in each snapshot by a memory, while an object that jumps by D
loses of the order ``h D``, the sum of ``D 2^(-a / h)`` over the ages a. With squares
these are ``n s^2`` and ``h D^2``: a single jump by ``sqrt(n) s`` would end the memory
of all objects. Rows of objects that move are predicted best by the last row alone,
half-life 0; rows that fluctuate, such as contacts of a day, by a mean of many.

With half-lives that are compared, an object that jumps starts anew: its earlier rows
say nothing about its place. The squared error of a row that does not jump has about a
gamma distribution, which has the mean and the variance of the squared errors so far. A
row jumps if an error as large as its own has a probability below ``0.01 / n`` there,
with n objects. Its error does not count for the choice of the half-life, and the object
counts as if it had been at its new place before: the past does not hold it back.
"""

import numbers
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.special import gammainccinv

from maxmargin.evolving.snapshots import Matches, match_objects, stack_rows
from maxmargin.rows.sample import squared_norms

HALF_LIVES = (1.0, 2.0, 4.0, 8.0)  # in units of the first gap between snapshots
FADED = 0.01  # weight below which an absent object is forgotten
MAX_PREDICTED = 10_000  # objects whose errors are compared
SIGNIFICANCE = 0.01  # level at which an error of prediction is a jump


@dataclass(frozen=True)
class Memory:
    """The weighted sums of rows of the objects seen so far.

    ``errors`` has a column for predictions by the last row and one for each half-life:
    the number of errors of prediction, the sums of their second and fourth powers, and
    of the errors themselves.
    """

    ids: np.ndarray  # those of the last snapshot first, in its order
    time: Any  # of the last snapshot
    unit: float  # the first gap between two snapshots, 0 before
    half_lives: tuple[float, ...]  # in units of time, or of ``unit`` if compared
    sums: tuple[Any, ...]  # N (n x d), for each half-life
    masses: tuple[np.ndarray, ...]  # m, for each half-life
    column_masses: tuple[np.ndarray | None, ...]  # c; None for dense rows
    errors: np.ndarray  # (4, n_half_lives + 1)
    last: Any  # (n, d), the last row of each object
    length: float  # of all rows, 0 if they differ

    @property
    def compares(self) -> bool:
        """Return True if several half-lives are compared."""
        return len(self.half_lives) > 1

    @property
    def best(self) -> int:
        """Return the position of the half-life to use, -1 for the last row alone.

        Among equal errors, as those of the first prediction, it is the shortest.
        """
        if not self.compares:
            return 0
        sums = self.errors[3]
        return int(np.flatnonzero(sums <= sums.min() * (1 + 1e-9))[0]) - 1

    @property
    def half_life(self) -> float:
        """Return the half-life in use, in units of time."""
        if self.best < 0:
            return 0.0
        return self.half_lives[self.best] * (self.unit if self.compares else 1.0)

    def levels(self, n_objects: int, best: int) -> Any:
        """Return the levels of the first objects, for -1 their last rows."""
        if best < 0:
            return self.last[:n_objects]
        masses = self.masses[best][:n_objects]
        rows = _divide(self.sums[best][:n_objects], masses, self.column_masses[best])
        if sp.issparse(rows):
            rows = _keep_columns(rows, _occurring(self.last[:n_objects]))
        return _scale_to(rows, self.length).astype(self.last.dtype, copy=False)


def check_half_life(half_life: Any) -> None:
    """Raise an error if the half-life is not "auto" or a number >= 0."""
    automatic = isinstance(half_life, str) and half_life == "auto"
    number = isinstance(half_life, numbers.Real) and 0 <= float(half_life) < np.inf
    if not (automatic or number):
        raise ValueError(
            f"half_life={half_life!r} must be 'auto' or a number >= 0: the time after "
            "which a row of an object counts half, 0 for no memory."
        )


def start_memory(X: Any, ids: np.ndarray, time: Any, half_life: Any) -> Memory:
    """Return the memory of the first snapshot."""
    compares = isinstance(half_life, str)
    half_lives = HALF_LIVES if compares else (float(half_life),)
    number = len(half_lives)
    columns = _occurring(X).astype(np.float64) if sp.issparse(X) else None
    return Memory(
        ids,
        time,
        0.0,
        half_lives,
        (X,) * number,
        (np.ones(len(ids)),) * number,
        (columns,) * number,
        np.zeros((4, number + 1)),
        X,
        _common_length(X),
    )


def remember(memory: Memory, X: Any, ids: np.ndarray, time: Any) -> Memory:
    """Return the memory after a further snapshot."""
    gap = gap_between(memory.time, time)
    unit = memory.unit if memory.unit > 0 else gap
    matches = match_objects(ids, memory.ids)
    absent = np.ones(len(memory.ids), dtype=bool)
    absent[matches.before] = False
    errors = memory.errors
    if memory.compares:
        matches = _without_jumps(memory, X, matches)
        errors = errors + _sums_of_errors(memory, X, matches)
    scale = unit if memory.compares else 1.0
    factors = [0.5 ** (gap / (h * scale)) for h in memory.half_lives]
    absent &= factors[-1] * memory.masses[-1] > FADED
    kept = np.flatnonzero(absent)
    sums, masses, columns = [], [], []
    for N, m, c, factor in zip(
        memory.sums, memory.masses, memory.column_masses, factors, strict=True
    ):
        sums.append(_add_rows(X, N, factor, matches, kept))
        weights = np.ones(len(ids))
        weights[matches.now] += factor * m[matches.before]
        masses.append(np.concatenate([weights, factor * m[kept]]))
        columns.append(None if c is None else factor * c + _occurring(X))
    last = _add_rows(X, memory.last, 0.0, matches, kept, of_kept=1.0)
    length = memory.length if _common_length(X) == memory.length else 0.0
    return replace(
        memory,
        ids=np.concatenate([ids, memory.ids[kept]]),
        time=time,
        unit=unit,
        sums=tuple(sums),
        masses=tuple(masses),
        column_masses=tuple(columns),
        errors=errors,
        last=last,
        length=length,
    )


def levels_before(before: Memory, now: Memory, n_before: int, present: Any) -> Any:
    """Return the levels of the objects of the snapshot before.

    Those of objects that have jumped since are their rows in ``present``, the levels of
    the present objects.
    """
    rows = before.levels(n_before, now.best)
    anew = np.flatnonzero(now.masses[-1][: present.shape[0]] == 1.0)
    if not now.compares or not len(anew):
        return rows
    jumped = match_objects(now.ids[anew], before.ids[:n_before])
    if not len(jumped.now):
        return rows
    order = np.arange(n_before)
    order[jumped.before] = n_before + np.arange(len(jumped.now))
    return stack_rows(rows, present[anew[jumped.now]])[order]


def gap_between(before: Any, now: Any) -> float:
    """Return the time between two snapshots: of dates in days, of strings 1."""
    if isinstance(now, str) or isinstance(before, str):
        return 1.0
    gap = now - before
    if isinstance(gap, np.timedelta64):
        return float(gap / np.timedelta64(1, "D"))
    return float(gap)


def _without_jumps(memory: Memory, X: Any, matches: Matches) -> Matches:
    """Return the matches of the objects that do not jump."""
    best = memory.best
    number, squares, fourths, _ = memory.errors[:, best + 1]
    mean = squares / max(number, 1.0)
    variance = fourths / max(number, 1.0) - mean**2
    if variance <= 1e-12 * mean**2 or not len(matches.now):
        return matches
    chance = SIGNIFICANCE / len(matches.now)
    limit = variance / mean * gammainccinv(mean**2 / variance, chance)
    stays = squared_norms(_differences(memory, X, matches, best)) <= limit
    return Matches(matches.now[stays], matches.before[stays])


def _sums_of_errors(memory: Memory, X: Any, matches: Matches) -> np.ndarray:
    """Return the number of errors and the sums of their powers, for some objects."""
    step = 1 + len(matches.now) // MAX_PREDICTED
    some = Matches(matches.now[::step], matches.before[::step])
    every = range(-1, len(memory.half_lives))
    differences = [_differences(memory, X, some, which) for which in every]
    stack = sp.vstack if sp.issparse(X) else np.concatenate
    squares = squared_norms(stack(differences)).reshape(len(every), -1)
    number = len(some.now)
    columns = [
        [number, one.sum(), (one**2).sum(), np.sqrt(one).sum()] for one in squares
    ]
    return np.array(columns, dtype=np.float64).T


def _differences(memory: Memory, X: Any, matches: Matches, which: int) -> Any:
    """Return present rows minus their predictions by a half-life, -1 for the last row.

    A column that is new, or that no present row has, is not predicted.
    """
    now, before = matches
    if which < 0:
        predicted = memory.last[before]
    else:
        masses, columns = memory.masses[which], memory.column_masses[which]
        predicted = _divide(memory.sums[which][before], masses[before], columns)
    differences = X[now] - predicted
    if sp.issparse(differences):
        known = memory.column_masses[0]
        assert known is not None
        differences = _keep_columns(differences, _occurring(X) & (known > 0))
    return differences


def _divide(sums: Any, masses: np.ndarray, columns: np.ndarray | None) -> Any:
    """Return ``N_ij / m_i``, of sparse rows ``N_ij / min(m_i, c_j)``."""
    if not sp.issparse(sums):
        return sums / masses[:, None]
    assert columns is not None
    rows = sums.tocsr(copy=True)
    of_rows = np.repeat(masses, np.diff(rows.indptr))
    rows.data = rows.data / np.minimum(of_rows, columns[rows.indices])
    return rows


def _add_rows(
    X: Any, N: Any, factor: float, matches: Matches, kept: np.ndarray, of_kept=None
) -> Any:
    """Return ``x_i + factor N_i`` of the present objects, then the sums of the kept."""
    of_kept = factor if of_kept is None else of_kept
    now, before = matches
    if sp.issparse(X):
        total = sp.csr_array(X)
        if factor and len(now):
            shape = (X.shape[0], N.shape[0])
            chosen = sp.csr_array((np.full(len(now), factor), (now, before)), shape)
            total = total + chosen @ sp.csr_array(N)
        rest = [of_kept * sp.csr_array(N)[kept]] if len(kept) else []
        return sp.csr_matrix(sp.vstack([total, *rest], format="csr"))
    if not factor:
        total = X
    elif len(now) == X.shape[0]:
        total = X + factor * N[before]
    else:
        total = X.astype(np.float64)
        total[now] += factor * N[before]
    return np.concatenate([total, of_kept * N[kept]]) if len(kept) else total


def _occurring(X: Any) -> np.ndarray:
    """Return a mask of the columns of a sparse matrix that have an entry."""
    return np.bincount(X.tocsr().indices, minlength=X.shape[1]) > 0


def _keep_columns(X: Any, there: np.ndarray) -> Any:
    """Return sparse rows without the entries of some columns."""
    rows = X.tocsr(copy=True)
    rows.data = rows.data * there[rows.indices]
    rows.eliminate_zeros()
    return rows


def _common_length(X: Any) -> float:
    """Return the length of all rows to six digits, 0 if they differ."""
    lengths = np.sqrt(squared_norms(X))
    same = np.ptp(lengths) <= 1e-6 * lengths.max()
    return float(np.format_float_scientific(lengths[0], 6)) if same else 0.0


def _scale_to(X: Any, length: float) -> Any:
    """Return rows scaled to a length, or as they are if it is 0."""
    if not length:
        return X
    factors = length / np.maximum(np.sqrt(squared_norms(X)), np.finfo(float).tiny)
    if sp.issparse(X):
        return sp.csr_matrix(sp.diags_array(factors) @ X)
    return X * factors[:, None]
