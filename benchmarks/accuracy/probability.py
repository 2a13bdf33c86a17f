"""How far ``predict_proba`` agrees with the labels and with refits on other rows."""

import warnings

import numpy as np
from sklearn.base import clone

from maxmargin import MaxMarginClustering
from maxmargin.metrics import match_labels

MAX_ROWS = 1000
REFITS, BINS = 20, 10


def calibration_error(confidence, frequency):
    """Return the mean difference of confidence and frequency in ten bins.

    The bins have equal widths from 0 to 1 and count by their numbers of samples.
    """
    bins = np.minimum((confidence * BINS).astype(int), BINS - 1)
    return sum(
        abs(confidence[bins == b].mean() - frequency[bins == b].mean())
        * np.mean(bins == b)
        for b in np.unique(bins)
    )


def probability(method, task, seeds):
    """Return the share of rows whose most likely cluster is their label; calibration.

    The frequency of a cluster comes from 20 refits on random halves of the rows, with
    seeds that the fit has not used; their clusters are matched to those of the fit.
    """
    task = task.cut(MAX_ROWS)
    model = MaxMarginClustering(task.counts[0], probability=True, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(task.X)
        chances = model.predict_proba(task.X)
        likely = chances.argmax(axis=1)
        kept = [_refit(model, task.X, likely, seed) for seed in range(1, REFITS + 1)]
    return {
        "same": np.mean(likely == model.labels_),
        "confidence": chances.max(axis=1).mean(),
        "kept": np.mean(kept),
        "error": calibration_error(chances.max(axis=1), np.mean(kept, axis=0)),
    }


def _refit(model, X, labels, seed):
    """Return which rows keep their cluster in a refit on half of the rows."""
    half = np.random.RandomState(seed).permutation(len(X))[: len(X) // 2]
    refit = clone(model).set_params(probability=False, random_state=seed)
    found = refit.fit(X[half]).predict(X)
    return match_labels(found, labels, model.n_clusters)[found] == labels
