"""From smoother to labels."""

import numpy as np

from maxmargin.datasets import make_bent_clusters
from maxmargin.rows.sample import draw_sample
from maxmargin.search.balance import make_balance
from maxmargin.search.runs import run_search
from maxmargin.smoothers.degrees_of_freedom import Ridge
from maxmargin.smoothers.kernel import make_kernel
from maxmargin.smoothers.landmarks import Landmarks, make_smoother

N_SAMPLES, N_CLUSTERS = 1000, 10


class Searches:
    """One run from random labels, given the smoother."""

    params = ("shaking", "steepest", "stochastic")
    param_names = ("search",)

    def setup(self, search):
        """Make the smoother and run once, so that all is compiled."""
        random = np.random.RandomState(0)
        X, _ = make_bent_clusters(N_SAMPLES, random_state=0)
        self.weights = np.ones(N_SAMPLES)
        sample = draw_sample(X, self.weights, merge=True, limit=None, random=random)
        kernel = make_kernel("rbf", X, random=random)
        self.smoother = make_smoother(
            X, sample, kernel, Ridge(), Landmarks(None), random
        ).matrix()
        self.balance = make_balance("free", N_CLUSTERS, self.weights)
        self.labels = random.permutation(N_SAMPLES) % N_CLUSTERS
        self.time_search(search)

    def time_search(self, search):
        """Time a run."""
        self._run(search)

    def track_objective(self, search):
        """Follow what a run reaches."""
        return self._run(search).objective

    def _run(self, search):
        return run_search(
            self.smoother,
            self.weights,
            self.labels.copy(),
            self.balance,
            np.random.RandomState(0),
            search=search,
        )
