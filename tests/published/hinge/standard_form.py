"""The standard form of samples, computed directly."""

import numpy as np


def standard(X, weights):
    """Return the samples in standard form and their shares."""
    shares = weights / weights.sum()
    centred = X - shares @ X
    return centred / np.sqrt(shares @ (centred**2).sum(axis=1)), shares


def two_groups(random, n=80, d=5):
    """Return samples of two groups and random weights."""
    X = random.randn(n, d)
    X[: n // 2, 0] += 5.0
    return X, random.randint(1, 4, n).astype(float)
