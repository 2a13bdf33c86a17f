"""The conventions of scikit-learn."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from maxmargin import EvolvingMaxMarginClustering
from maxmargin.published import (
    EvolvingKMeans,
    EvolvingMMC,
    EvolvingSpectralClustering,
)

INSTANCES = [
    EvolvingMaxMarginClustering(random_state=0),
    EvolvingMaxMarginClustering(strategy="individual", random_state=0),
    EvolvingMaxMarginClustering(strategy="model", random_state=0),
    EvolvingMMC(random_state=0),
    EvolvingKMeans(2, n_init=1, random_state=0),
    EvolvingSpectralClustering(2, n_init=1, random_state=0),
]


@parametrize_with_checks(INSTANCES)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
