"""Rows as they are given: types of numbers, magnitude, weights, and several sources.

An estimator that sets ``_takes_sources`` takes a list or dict of matrices in place of
one. They are checked and joined to one matrix, and the estimator keeps their names and
columns in ``_sources``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array

from maxmargin.rows.sources import Sources, join_sources

# Numbers whose squares, and sums of them, are neither infinite nor zero.
LARGEST, SMALLEST = 1e140, 1e-140


def accepted_types(X: Any) -> list[Any]:
    """Return the types that X may have; of any other type it becomes the first.

    Numbers in half precision, as embeddings are stored, become single ones.
    """
    if getattr(X, "dtype", None) == np.float16:
        return [np.float32, np.float64]
    return [np.float64, np.float32]


def check_not_masked(X: Any) -> None:
    """Raise an error for an array with masked values, which would count as values."""
    if np.ma.is_masked(X):
        raise ValueError(
            "X has masked values: fill them, or give a data frame with missing values."
        )


def with_short_indices(X: Any) -> Any:
    """Return a CSR matrix with sorted indices, of 32 bits if they suffice.

    Anything else is returned as it is. K-means and the neighbour search take no other
    indices, and others would sort those of the caller in place, whose matrix may be
    used in several threads.
    """
    if not sp.issparse(X):
        return X
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    if X.indices.dtype == X.indptr.dtype == np.int32:
        return X
    if max(*X.shape, X.nnz) > np.iinfo(np.int32).max:
        return X
    indices, indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return type(X)((X.data, indices, indptr), shape=X.shape)


def check_magnitude(X: Any, smallest: float = SMALLEST) -> None:
    """Raise an error if squares of the values overflow, or if all underflow.

    With ``smallest=0``, for a block of the samples, all values may be small.
    """
    values = X.data if sp.issparse(X) else X
    if values.size == 0:
        return
    largest = max(float(values.max()), -float(values.min()))
    if largest > LARGEST or 0.0 < largest < smallest:
        extreme = "large" if largest > 1.0 else "small"
        raise ValueError(
            f"The largest absolute value of X is {largest:.3g}, too {extreme} to "
            "compute squared distances: scale the features, for example with "
            "sklearn.preprocessing.StandardScaler."
        )


def check_weights(sample_weight, n_samples: int) -> np.ndarray:
    """Return the weights as an array of non-negative numbers, not all zero."""
    if sample_weight is None:
        return np.ones(n_samples)
    weights = check_array(
        sample_weight, ensure_2d=False, dtype=np.float64, input_name="sample_weight"
    )
    if weights.shape != (n_samples,):
        raise ValueError(
            f"sample_weight has shape {weights.shape}: give one weight for each of the "
            f"{n_samples} samples."
        )
    if (weights < 0).any():
        raise ValueError("sample_weight has negative values: weights count samples.")
    if not weights.any():
        raise ValueError("sample_weight is zero for every sample: give some weight.")
    largest = weights.max()
    if not 1e-100 < largest < 1e100:  # sums and squares would overflow or vanish
        weights = weights / largest
    return weights


def join_samples(estimator: Any, X: Any, *, reset: bool) -> Any:
    """Return the columns of all sources side by side, or X if it is one matrix."""
    if not getattr(estimator, "_takes_sources", False):
        return X
    parts = named_sources(X)
    if reset:
        estimator._sources = None
    elif (parts is None) != (estimator._sources is None):
        fitted = "one matrix" if parts is not None else _listed(estimator._sources)
        raise ValueError(
            f"{type(estimator).__name__} was fitted to {fitted}: give the same."
        )
    if parts is None:
        return X
    if not parts:
        raise ValueError("There is no source: give at least one matrix.")
    checked = {name: _checked(name, part) for name, part in parts.items()}
    _check_rows(checked)
    found = Sources(
        tuple(checked),
        tuple(part.shape[1] for part in checked.values()),
        tuple(sp.issparse(part) for part in checked.values()),
    )
    if reset:
        estimator._sources = found
    else:
        _check_same(found, estimator._sources)
    return join_sources([checked[name] for name in estimator._sources.names])


def _checked(name: str, part: Any) -> Any:
    """Return a source as a matrix of finite numbers, CSR if it is sparse."""
    try:
        check_not_masked(part)
        return check_array(
            part,
            accept_sparse="csr",
            dtype=accepted_types(part),
            input_name=f"source {name!r}",
        )
    except ValueError as error:
        raise ValueError(
            f"The source {name!r} is no matrix of numbers: {error}"
        ) from error


def _check_rows(parts: dict[str, Any]) -> None:
    """Raise an error if the sources have unequal numbers of rows."""
    numbers = {name: part.shape[0] for name, part in parts.items()}
    if len(set(numbers.values())) > 1:
        listed = ", ".join(f"{name!r} has {n}" for name, n in numbers.items())
        raise ValueError(
            "The sources have unequal numbers of rows, and row i of each must be of "
            f"the same sample: {listed}."
        )


def _check_same(found: Sources, fitted: Sources) -> None:
    """Raise an error if sources are not those of the fit, in any order of a dict."""
    if sorted(found.names) != sorted(fitted.names):
        raise ValueError(
            f"The fit had {_listed(fitted)}, and there are {_listed(found)}: give the "
            "same ones."
        )
    widths = dict(zip(found.names, found.widths, strict=True))
    for name, width in zip(fitted.names, fitted.widths, strict=True):
        if widths[name] != width:
            raise ValueError(
                f"The source {name!r} has {widths[name]} columns and had {width} in "
                "the fit: give the same columns."
            )


def _listed(sources: Sources) -> str:
    names = ", ".join(repr(name) for name in sources.names)
    return f"{len(sources.names)} sources ({names})"


def named_sources(X: Any) -> dict[str, Any] | None:
    """Return sources by their names, or None if X is no list or dict of sources.

    A list of matrices has the names ``"0"``, ``"1"`` and so on. A list of rows, whose
    elements have one dimension, is none.
    """
    if isinstance(X, Mapping) and not hasattr(X, "shape"):  # as a sparse dict has
        return {str(name): part for name, part in X.items()}
    if not isinstance(X, list | tuple) or not X:
        return None
    if any(len(getattr(part, "shape", ())) != 2 for part in X):
        return None
    return {str(number): part for number, part in enumerate(X)}
