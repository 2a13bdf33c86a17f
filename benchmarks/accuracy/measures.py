"""What is measured for one method and one task."""

import time
import warnings
from itertools import combinations

import numpy as np
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.preprocessing import StandardScaler

from benchmarks.accuracy.no_structure import structure
from benchmarks.accuracy.probability import probability
from benchmarks.accuracy.tasks import NOISE
from maxmargin.metrics import clustering_error

SLOW = 100  # CPU seconds; no further seed is run for a task that takes longer
PART_ROWS = 1000  # of a task, for fits on parts of the rows
PART, PAIRS = 0.95, 3


def score(references, labels_of):
    """Return the best ARI over the references, without their noise points.

    ``labels_of`` maps the number of clusters of a reference to labels.
    """
    return max(
        adjusted_rand_score(
            y[y != NOISE], labels_of(len(np.unique(y[y != NOISE])))[y != NOISE]
        )
        for y in references
    )


def agreement(labellings):
    """Return the mean ARI over the pairs of some labellings of the same rows."""
    pairs = list(combinations(labellings, 2))
    if not pairs:
        return None
    return float(np.mean([adjusted_rand_score(a, b) for a, b in pairs]))


def _fit(method, X, n_clusters, seed):
    """Return the labels and the CPU seconds of one fit."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.process_time()
        labels = method.fit(X.copy(), n_clusters, seed)
        return np.asarray(labels), time.process_time() - start


def accuracy(method, task, seeds):
    """Return ARI, number of clusters and CPU seconds by seed; the seeds' agreement.

    A method that is given the number of clusters is fitted once for each number that
    the references have. The agreement is the mean over these numbers.
    """
    counts = [None] if method.finds_number else sorted(set(task.counts))
    scores, found, cpu, labels = [], [], [], {k: [] for k in counts}
    for seed in range(seeds):
        fits = {k: _fit(method, task.X, k, seed) for k in counts}
        for k in counts:
            labels[k].append(fits[k][0])
        scores.append(
            score(
                task.references,
                lambda k, fits=fits: fits[None if method.finds_number else k][0],
            )
        )
        seconds = [one for _, one in fits.values()]
        cpu.append(np.mean(seconds))
        if method.finds_number:
            found.append(len(np.unique(fits[None][0][fits[None][0] >= 0])))
        if sum(seconds) > SLOW:
            break
    result = {"ari": scores, "cpu": cpu, "of": seeds}
    if found:
        result["found"] = found
    if len(scores) > 1:
        result["agreement"] = np.mean([agreement(labels[k]) for k in counts])
    return result


def stability(method, task, seeds):
    """Return the agreement of fits on two parts of the rows, for three such pairs.

    Each part has 95 % of at most 1000 rows. The seed of the fits is always 0.
    """
    task = task.cut(PART_ROWS)
    n_samples = len(task.X)
    scores = []
    for pair in range(PAIRS):
        random = np.random.RandomState(pair)
        labels = np.full((2, n_samples), NOISE)
        kept = np.zeros((2, n_samples), dtype=bool)
        for i in range(2):
            rows = np.sort(random.permutation(n_samples)[: round(PART * n_samples)])
            labels[i, rows] = _fit(method, task.X[rows], task.counts[0], 0)[0]
            kept[i, rows] = True
        common = kept.all(axis=0)
        scores.append(adjusted_rand_score(*labels[:, common]))
    return {"pairs": scores}


def scaling(method, task, seeds):
    """Return the mean ARI over the seeds with raw and with standardised columns."""
    scaled = task._replace(X=StandardScaler().fit_transform(task.X))
    tasks = {"raw": task, "standardised": scaled}
    return {
        name: np.mean(accuracy(method, one, seeds)["ari"])
        for name, one in tasks.items()
    } | {"of": seeds}


def indices(method, task, seeds):
    """Return the three scores of CLUBench and CPU seconds, by seed.

    These are ARI, normalised mutual information, and the share of rows whose label is
    that of their class, after the best matching of labels and classes.
    """
    result = {"ari": [], "nmi": [], "acc": [], "cpu": []}
    y, n_clusters = task.references[0], task.counts[0]
    for seed in range(seeds):
        labels, seconds = _fit(method, task.X, n_clusters, seed)
        result["ari"].append(adjusted_rand_score(y, labels))
        result["nmi"].append(normalized_mutual_info_score(y, labels))
        result["acc"].append(1 - clustering_error(y, labels))
        result["cpu"].append(seconds)
        if seconds > SLOW:
            break
    return result | {"of": seeds}


MEASURES = {
    "accuracy": accuracy,
    "stability": stability,
    "scaling": scaling,
    "probability": probability,
    "count": accuracy,
    "structure": structure,
    "clubench": indices,
    "clubench_raw": indices,
}
