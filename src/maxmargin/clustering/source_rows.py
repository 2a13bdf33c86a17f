"""Several sources of the same samples, checked and joined to one matrix.

An estimator that sets ``_takes_sources`` takes a list or dict of matrices in place of
one, and keeps their names and columns in ``_sources``.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array

from maxmargin.rows.precision import accepted_types
from maxmargin.rows.sources import Sources, join_sources, named_sources


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


def source_weights(
    estimator: Any, shares: np.ndarray | None
) -> dict[str, float] | None:
    """Return the weights of the sources of an estimator by their names."""
    if shares is None:
        return None
    return dict(zip(estimator._sources.names, map(float, shares), strict=True))
