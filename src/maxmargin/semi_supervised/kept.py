"""What an estimator keeps for the next fit of the same samples."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from maxmargin.rows.sample import hash_rows


class KeptValues:
    """Values that were made of the samples alone, by name."""

    # The reason to make a value anew, and the value. Not saved with the model.
    _kept: Mapping[str, tuple[Any, Any]] = MappingProxyType({})
    _fitted = 0  # of the samples of the last fit, in this process
    warm_start: bool

    def _keep(self, name, X, weights, key, make):
        """Return the value of the last fit for the same samples, else make it."""
        if not self.warm_start:
            self._kept = {}
            return make()
        # By content: the arrays may be changed in place later on.
        key = (key, hash_rows(X).tobytes(), weights.tobytes())
        if name not in self._kept or self._kept[name][0] != key:
            self._kept = {**self._kept, name: (key, make())}
        return self._kept[name][1]

    def _remember(self, X):
        """Remember the samples of a fit."""
        self._fitted = hash(hash_rows(X).tobytes())

    def _is_fitted_to(self, X):
        """Return True if these are the samples of the last fit."""
        return self._fitted == hash(hash_rows(X).tobytes())
