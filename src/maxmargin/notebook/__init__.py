"""The map of the clusters of a model in a notebook, to look at and to correct."""

from typing import Any

__all__ = ["explore"]


def explore(model: Any, X: Any, rows: Any) -> Any:
    """Return the map of the clusters of a model as a widget.

    Parameters
    ----------
    model : MaxMarginClustering
        Fitted to X.
    X : array-like of shape (n_samples, n_features)
        The samples, as they were given to ``fit``.
    rows : {ndarray, sparse matrix} of shape (n_samples, n_columns)
        The same as the model compares them: encoded and scaled.

    Returns
    -------
    widget : Explorer
    """
    try:
        from maxmargin.notebook.explorer import Explorer
    except ImportError as error:
        raise ImportError(
            f"The map needs {error.name}: pip install 'maxmargin[notebook]'."
        ) from None
    from maxmargin.notebook.session import Session

    return Explorer(Session(model, X, rows))
