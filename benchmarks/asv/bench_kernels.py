"""From samples to smoother."""

import numpy as np

from maxmargin.datasets import make_bent_clusters
from maxmargin.rows.sample import draw_sample
from maxmargin.smoothers.degrees_of_freedom import Ridge
from maxmargin.smoothers.kernel import make_kernel
from maxmargin.smoothers.landmarks import Landmarks, make_smoother
from maxmargin.smoothers.leader import find_leaders


class Smoothers:
    """The smoother of a radial kernel: exact, or with landmarks."""

    params = ([500, 1000], [None, 200])
    param_names = ("n_samples", "landmarks")

    def setup(self, n_samples, landmarks):
        """Draw samples and run once, so that all is compiled."""
        self.random = np.random.RandomState(0)
        self.X, _ = make_bent_clusters(n_samples, random_state=0)
        weights = np.ones(n_samples)
        self.sample = draw_sample(
            self.X, weights, merge=True, limit=None, random=self.random
        )
        self.kernel = make_kernel("rbf", self.X, random=self.random)
        self.time_smoother(n_samples, landmarks)

    def time_smoother(self, n_samples, landmarks):
        """Time the smoother."""
        make_smoother(
            self.X, self.sample, self.kernel, Ridge(), Landmarks(landmarks), self.random
        )


class Leaders:
    """Leader clustering with a given number of centres."""

    def setup(self):
        """Draw samples and run once."""
        self.X, _ = make_bent_clusters(2000, random_state=0)
        self.weights = np.ones(2000)
        self.time_leaders()

    def time_leaders(self):
        """Time the search for the radius."""
        find_leaders(self.X, self.weights, 100)
