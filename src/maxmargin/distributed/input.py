"""Checks of Dask input before any task is submitted."""

import sys

import numpy as np


def is_dask(X) -> bool:
    """Return True if X is a Dask collection, without importing Dask."""
    return "dask" in sys.modules and hasattr(X, "__dask_graph__")


def check_rows(X, n_features: int | None = None):
    """Return a Dask array whose chunks are whole rows of known number."""
    if hasattr(X, "to_dask_array"):
        X = X.to_dask_array(lengths=True)
    if X.ndim != 2:
        raise ValueError(
            f"Expected a table of two dimensions, and this one has {X.ndim}: use "
            "X.reshape(-1, 1) if it has a single feature."
        )
    if len(X.chunks[1]) > 1:
        raise ValueError(
            f"The columns are cut into {len(X.chunks[1])} chunks, and a sample must be "
            "whole: use X.rechunk({1: -1})."
        )
    if not np.issubdtype(X.dtype, np.number):
        raise ValueError(
            f"The values are of type {X.dtype}, and samples are numbers: use "
            "X.astype(float), or leave columns of text out."
        )
    if n_features is not None and X.shape[1] != n_features:
        raise ValueError(
            f"X has {X.shape[1]} features, but the fit had {n_features} features."
        )
    if np.isnan(X.chunks[0]).any():
        X = X.compute_chunk_sizes()
    return X


def check_weights(weights, X):
    """Return weights as a Dask array in the chunks of X, or ``None``."""
    if weights is None:
        return None
    import dask.array as da

    if hasattr(weights, "to_dask_array"):
        weights = weights.to_dask_array(lengths=True)
    elif not is_dask(weights):
        weights = da.from_array(np.asarray(weights, dtype=float), chunks=(X.chunks[0],))
    if weights.shape != (X.shape[0],):
        raise ValueError(
            f"sample_weight has shape {weights.shape}: give one weight for each of the "
            f"{X.shape[0]} samples."
        )
    weights = weights.rechunk((X.chunks[0],))
    smallest, total = da.compute(weights.min(), weights.sum())
    if smallest < 0 or total <= 0:
        raise ValueError(
            "sample_weight must not be negative, nor zero for every sample: weights "
            "count samples."
        )
    return weights
