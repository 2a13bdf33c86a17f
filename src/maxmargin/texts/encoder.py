"""`TextEncoder`: texts as features, by their words or by a model of embeddings."""

import sys
import warnings
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from maxmargin.documented import DocumentedMixin
from maxmargin.texts.words import Words, learn_words


class TextEncoder(TransformerMixin, DocumentedMixin, BaseEstimator):
    r"""Texts as features that clusters can be found in.

    By default the features are the words: with the number :math:`c_{tw}` of times that
    text :math:`t` has the word :math:`w`, and :math:`n_w` of :math:`n` texts with it,

    .. math:: x_{tw} \propto (1 + \log c_{tw})
       \left(1 + \log\frac{1 + n}{1 + n_w}\right) \quad (c_{tw} > 0)

    in rows of unit length. Nothing is downloaded, and no language is assumed. With a
    model the features are its embeddings.

    Parameters
    ----------
    model : str, object or None, default=None
        None for words. A name or folder of a model of ``sentence-transformers``, which
        must be installed; or an object whose method ``encode`` returns one row for each
        of a list of texts.

    Attributes
    ----------
    words_ : tuple of str or None
        The words that at least two texts have; None with a model.
    n_features_out_ : int
        The number of features.

    See Also
    --------
    maxmargin.MaxMarginClustering : ``fit`` takes texts, and encodes them by words.
    maxmargin.tables.describe_clusters : Keywords and typical texts of clusters.

    Examples
    --------
    >>> from maxmargin.texts import TextEncoder
    >>> encoder = TextEncoder().fit(["red apple", "green apple", "red car"])
    >>> encoder.words_
    ('apple', 'red')
    >>> encoder.transform(["a red apple", "something red"]).toarray().round(2)
    array([[0.71, 0.71],
           [0.  , 1.  ]])
    """

    is_numeric_ = False  # features keep their scales

    def __init__(self, model: Any = None) -> None:
        self.model = model

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the words and their weights; a model has nothing to learn.

        Parameters
        ----------
        X : sequence of str
            A list, an array or a Series of texts; None is an empty text.
        y : Ignored
            Present for the conventions of scikit-learn.

        Returns
        -------
        self : object
        """
        texts = as_texts(X)
        self._words: Words | None = None
        if self.model is None:
            self._words = learn_words(texts)
            self.n_features_out_ = len(self._words.words)
        else:
            self.n_features_out_ = self._embed(texts[:1]).shape[1]
        self.words_ = None if self._words is None else self._words.words
        return self

    def transform(self, X: Any) -> Any:
        """Return the features of texts.

        Parameters
        ----------
        X : sequence of str

        Returns
        -------
        features : {sparse matrix, ndarray} of shape (n_texts, n_features_out)
            Words are sparse, embeddings are an array; rows have unit length. A text
            without a known word is zero, and there is a warning.
        """
        check_is_fitted(self, "n_features_out_")
        texts = as_texts(X)
        if self._words is None:
            return self._embed(texts)
        features = self._words.features(texts)
        n_words = np.diff(features.indptr)
        if unknown := int((n_words == 0).sum()):
            warnings.warn(
                f"{unknown} of {len(texts)} texts, the first in position "
                f"{n_words.argmin()}, have no known word: they are alike, and their "
                "cluster means nothing.",
                stacklevel=2,
            )
        return features

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the words, or ``embedding0``, ``embedding1`` and so on.

        Parameters
        ----------
        input_features : Ignored
            Present for the conventions of scikit-learn.

        Returns
        -------
        names : ndarray of str
        """
        check_is_fitted(self, "n_features_out_")
        names = self.words_ or [f"embedding{j}" for j in range(self.n_features_out_)]
        return np.array(names, dtype=object)

    def _embed(self, texts: list[str]) -> np.ndarray:
        """Return the embeddings of texts, in rows of unit length."""
        model = _load(self.model) if isinstance(self.model, str) else self.model
        X = np.asarray(model.encode(texts), dtype=np.float32)
        if X.ndim != 2 or len(X) != len(texts):
            raise ValueError(
                f"The model returned an array of shape {X.shape} for {len(texts)} "
                "texts: its method encode must return one row for each text."
            )
        norms = np.linalg.norm(X, axis=1, keepdims=True)
        return X / np.where(norms > 0, norms, 1.0)


def _load(name: str) -> Any:
    """Return a model of sentence-transformers."""
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError:
        raise ImportError(
            "A model of embeddings by name needs sentence-transformers: pip install "
            "'maxmargin[text]', or give an object with the method encode."
        ) from None
    return SentenceTransformer(name)


def is_texts(X: Any) -> bool:
    """Return True for a list, tuple, array or column of texts, some of them missing.

    The first text decides; `as_texts` checks the others.
    """
    if isinstance(X, list | tuple):
        first = next((one for one in X if one is not None), None)
        return isinstance(first, str)
    if isinstance(X, np.ndarray):
        if X.ndim != 1 or X.dtype.kind not in "OUT":
            return False
        return X.dtype.kind in "UT" or is_texts(X.tolist())
    return _is_column(X) and is_texts(_items(X))


def _is_column(X: Any) -> bool:
    """Return True for a column of pandas, polars or pyarrow."""
    known = ("pandas", "Series"), ("polars", "Series"), ("pyarrow", "Array")
    return any(
        isinstance(X, getattr(sys.modules.get(package), name, ()))
        for package, name in (*known, ("pyarrow", "ChunkedArray"))
    )


def _items(X: Any) -> list[Any]:
    """Return the values of a column as objects of Python, those missing as None."""
    values = X.to_pylist() if hasattr(X, "to_pylist") else X.to_list()
    return [None if one is None or one != one else one for one in values]


def as_texts(X: Any) -> list[str]:
    """Return texts as a list; missing ones are empty."""
    if isinstance(X, str):
        raise TypeError("This is one text: give a list of texts.")
    items: Sequence[Any] = _items(X) if _is_column(X) else list(X)
    for number, one in enumerate(items):
        missing = one is None or (isinstance(one, float) and np.isnan(one))
        if not isinstance(one, str) and not missing:
            raise TypeError(
                f"Text {number} is of type {type(one).__name__}: give a list of "
                "strings."
            )
    if not items:
        raise ValueError("There are no texts: give at least one.")
    return [one if isinstance(one, str) else "" for one in items]
