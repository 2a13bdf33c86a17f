"""From samples to labels."""

import numpy as np
from sklearn.cluster import KMeans

from maxmargin import MaxMarginClustering, SemiSupervisedMaxMargin
from maxmargin.datasets import make_bent_clusters
from maxmargin.published import (
    CuttingPlaneMaxMarginClustering,
    EvolutionaryMaxMarginClustering,
)

# Each with 500 samples; k-means tells how fast the machine is.
ESTIMATORS = {
    "k-means": lambda: KMeans(10, n_init=10, random_state=0),
    "default": lambda: MaxMarginClustering(10, random_state=0),
    "rbf": lambda: MaxMarginClustering(10, kernel="rbf", random_state=0),
    "evolutionary": lambda: EvolutionaryMaxMarginClustering(2, random_state=0),
    "cutting plane": lambda: CuttingPlaneMaxMarginClustering(2, random_state=0),
}


class Fits:
    """A fit of each estimator."""

    params = tuple(ESTIMATORS)
    param_names = ("estimator",)

    def setup(self, name):
        """Draw samples and fit once, so that all is compiled."""
        self.X, _ = make_bent_clusters(500, random_state=0)
        self.time_fit(name)

    def time_fit(self, name):
        """Time a fit."""
        ESTIMATORS[name]().fit(self.X)


class FewLabels:
    """A fit with some labels given."""

    def setup(self):
        """Draw samples and fit once."""
        self.X, _ = make_bent_clusters(500, random_state=0)
        self.y = np.where(np.arange(500) < 50, np.arange(500) % 10, -1)
        self.time_fit()

    def time_fit(self):
        """Time a fit."""
        SemiSupervisedMaxMargin(random_state=0).fit(self.X, self.y)


class ManySamples:
    """More samples than a search takes."""

    timeout = 300

    def setup(self):
        """Draw samples and fit once."""
        self.X, _ = make_bent_clusters(20_000, random_state=0)
        self.model = MaxMarginClustering(10, random_state=0).fit(self.X)

    def time_predict(self):
        """Time the labels of all."""
        self.model.predict(self.X)

    def peakmem_fit(self):
        """Measure the memory of a fit."""
        MaxMarginClustering(10, random_state=0).fit(self.X)
