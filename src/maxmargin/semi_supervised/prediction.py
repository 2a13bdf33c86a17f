"""Classes and probabilities of samples, by the decision values of a fitted model."""

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if

from maxmargin.clustering.base import MarginEstimator
from maxmargin.semi_supervised.transduction import sharpen


class ClassPrediction(ClassifierMixin, MarginEstimator):
    """The methods of a classifier that is fitted: it has ``classes_`` and a model."""

    classes_: np.ndarray
    _sharpness: float | None  # power of decision values that is a probability

    def predict(self, X: Any) -> np.ndarray:
        """Return the class of each sample, the one with the largest decision value.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        decisions = self._decide(X)
        return self.classes_[decisions.argmax(axis=1)]

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the decision value of each sample for each class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        decisions : ndarray of shape (n_samples, n_classes), or (n_samples,)
            With two classes, the value of the second minus that of the first.
        """
        decisions = self._decide(X)
        if decisions.shape[1] == 2:
            return decisions[:, 1] - decisions[:, 0]
        return decisions

    @available_if(lambda estimator: estimator.kernel == "auto")
    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probability of each class for each sample.

        Of the samples with 0.9 for a class, about nine in ten should belong to it: each
        half of the given labels was predicted from the other half to calibrate it.
        With one label of each class there is nothing to calibrate with. Needs
        ``kernel="auto"``, and a label of each class, ``init``, or pairs and no label.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
        """
        scores = self._decide(X)
        if self._sharpness is None:
            raise ValueError(
                "predict_proba needs a given label of each class, init, or pairs "
                "alone: give some."
            )
        return sharpen(scores, self._sharpness)
