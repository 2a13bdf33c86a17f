r"""The words that distinguish the texts of a cluster.

The numbers of texts that have a word are compared inside and outside of a cluster by
their odds. With the number :math:`y_w` of texts with the word inside, the sum
:math:`n` over all words, :math:`y_w'` and :math:`n'` outside, and a prior of one text
for each word of the vocabulary that is spread as all texts are, :math:`\alpha_w` with
the sum :math:`\alpha`,

.. math:: z_w = \frac{1}{\sigma_w} \left(
   \log\frac{y_w + \alpha_w}{n + \alpha - y_w - \alpha_w} -
   \log\frac{y_w' + \alpha_w}{n' + \alpha - y_w' - \alpha_w}\right), \qquad
   \sigma_w^2 = \frac{1}{y_w + \alpha_w} + \frac{1}{y_w' + \alpha_w}

is the log odds ratio in units of its standard deviation (Monroe, Colaresi and Quinn
2008, doi:10.1093/pan/mpn018). Rare words have large ratios and large deviations, common
words small ratios: the words with the largest :math:`z_w` are neither.
"""

from typing import Any

import numpy as np

from maxmargin.texts.encoder import as_texts
from maxmargin.texts.words import count_words, learn_words

MIN_SCORE = 2.0  # standard deviations; less may be chance


def find_keywords(
    texts: Any, labels: Any, *, n_words: int = 10
) -> dict[Any, list[str]]:
    """Return the words that distinguish the texts of each cluster from all others.

    Parameters
    ----------
    texts : sequence of str
    labels : array-like of shape (n_texts,)
        The cluster of each text, of any method; texts with -1 belong to none.
    n_words : int, default=10
        The number of words for each cluster; fewer if not so many distinguish it.

    Returns
    -------
    words : dict
        The words by label, the most telling first.

    Examples
    --------
    >>> from maxmargin.texts import find_keywords
    >>> texts = ["red apple", "green apple", "sweet apple", "red car", "fast car"] * 5
    >>> find_keywords(texts, [0, 0, 0, 1, 1] * 5, n_words=1)
    {0: ['apple'], 1: ['car']}
    """
    found, labels = as_texts(texts), np.asarray(labels)
    if len(labels) != len(found):
        raise ValueError(
            f"There are {len(labels)} labels and {len(found)} texts: give one label "
            "for each text."
        )
    try:
        words = np.array(learn_words(found).words, dtype=object)
    except ValueError:  # no word occurs twice
        return {label.item(): [] for label in np.unique(labels[labels != -1])}
    counts = count_words(found, words.tolist())
    return {
        label.item(): words[telling_words(counts, labels == label, n_words)].tolist()
        for label in np.unique(labels[labels != -1])
    }


def telling_words(X: Any, own: np.ndarray, n_words: int) -> np.ndarray:
    """Return the columns of the words that tell some rows of a sparse X from others."""
    total = texts_with_words(X)
    inside = texts_with_words(X[np.flatnonzero(own)])
    scores = log_odds(inside, total - inside)
    order = np.argsort(-scores, kind="stable")[:n_words]
    found: np.ndarray = order[scores[order] > MIN_SCORE]
    return found


def texts_with_words(X: Any) -> np.ndarray:
    """Return how many rows of a sparse X have each word."""
    return np.bincount(X.indices, minlength=X.shape[1]).astype(float)


def typical_texts(texts: Any, labels: Any, *, n_texts: int = 3) -> dict[Any, list[str]]:
    """Return the texts of each cluster whose words are most like those of all of it.

    These have the largest inner product with the mean of the cluster's features.
    """
    found, labels = as_texts(texts), np.asarray(labels)
    clusters = np.unique(labels[labels != -1])
    try:
        features = learn_words(found).features(found)
    except ValueError:
        return {label.item(): [] for label in clusters}
    result = {}
    for label in clusters:
        rows = np.flatnonzero(labels == label)
        own = features[rows]
        order = np.argsort(-(own @ own.sum(axis=0)), kind="stable")
        different = dict.fromkeys(found[row] for row in rows[order])  # in this order
        result[label.item()] = list(different)[:n_texts]
    return result


def log_odds(inside: np.ndarray, outside: np.ndarray) -> np.ndarray:
    """Return the log odds ratio of each word, in standard deviations."""
    total = inside + outside
    prior = total * (len(total) / total.sum())
    terms = []
    for counts in (inside, outside):
        with_prior = counts + prior
        terms.append(np.log(with_prior / (with_prior.sum() - with_prior)))
    variance = 1.0 / (inside + prior) + 1.0 / (outside + prior)
    scores: np.ndarray = (terms[0] - terms[1]) / np.sqrt(variance)
    return scores
