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
            self._kept = {key: one for key, one in self._kept.items() if key == "pool"}
            return make()
        # By content: the arrays may be changed in place later on.
        key = (key, hash_rows(X).tobytes(), weights.tobytes())
        if name not in self._kept or self._kept[name][0] != key:
            self._kept = {**self._kept, name: (key, make())}
        return self._kept[name][1]

    def _set_pool(self, X, pool):
        """Keep the pool of a fit, which is nothing but labels, for the questions."""
        self._kept = {**self._kept, "pool": (hash_rows(X).tobytes(), pool)}
        return pool

    def _pool_of(self, X, make):
        """Return the pool of the samples, that of the last fit to them if any."""
        known = self._kept.get("pool")
        if known is not None and known[0] == hash_rows(X).tobytes():
            return known[1]
        return self._set_pool(X, make())

    def _remember(self, X):
        """Remember the samples of a fit."""
        self._fitted = hash(hash_rows(X).tobytes())

    def _is_fitted_to(self, X):
        """Return True if these are the samples of the last fit."""
        return self._fitted == hash(hash_rows(X).tobytes())
