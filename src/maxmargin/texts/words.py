r"""Texts as weighted words.

With the number :math:`c_{tw}` of times that a text :math:`t` has the word :math:`w`,
and the number :math:`n_w` of the :math:`n` texts that have it, the features are

.. math:: x_{tw} \propto (1 + \log c_{tw}) \left(1 + \log\frac{1 + n}{1 + n_w}\right)
   \quad (c_{tw} > 0)

in rows of unit length. Words of a single text are left out: they make no two texts
alike. No word is left out for being frequent, so no list of stop words, and no
language, is assumed. docs/measured/texts.md compares other weights.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.preprocessing import normalize

MIN_TEXTS = 2  # that have a word


@dataclass(frozen=True)
class Words:
    """The words of some texts, in the order of the alphabet, and their weights."""

    words: tuple[str, ...]
    weights: np.ndarray

    def features(self, texts: Sequence[str]) -> Any:
        """Return the features of texts, a CSR matrix."""
        counts = count_words(texts, self.words)
        counts.data = 1.0 + np.log(counts.data)
        return normalize(counts @ sp.diags_array(self.weights), copy=False)


def count_words(texts: Sequence[str], words: Sequence[str]) -> Any:
    """Return how often each text has each of some words, a CSR matrix."""
    vectorizer = CountVectorizer(vocabulary=words, dtype=np.float64)
    return sp.csr_array(vectorizer.transform(texts))


def learn_words(texts: Sequence[str]) -> Words:
    """Return the words that at least two texts have, with their weights."""
    vectorizer = CountVectorizer(dtype=np.float64)
    try:
        counts = sp.csr_array(vectorizer.fit_transform(texts))
    except ValueError:  # no text has a word
        counts = sp.csr_array((len(texts), 0))
    n_texts = np.bincount(counts.indices, minlength=counts.shape[1])
    kept = np.flatnonzero(n_texts >= MIN_TEXTS)
    if not len(kept):
        raise ValueError(
            "No word occurs in two of the texts: give more texts, longer ones, or "
            "embeddings of them."
        )
    names = vectorizer.get_feature_names_out()
    weights = 1.0 + np.log((1.0 + len(texts)) / (1.0 + n_texts[kept]))
    return Words(tuple(str(names[w]) for w in kept), weights)
