"""The conventions of scikit-learn."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from maxmargin import EvolvingMaxMarginClustering
from maxmargin.published import EvolvingKMeans, EvolvingSpectralClustering

INSTANCES = [
    EvolvingMaxMarginClustering(2, n_init=2, random_state=0),
    EvolvingMaxMarginClustering(2, strategy="model", n_init=2, random_state=0),
    EvolvingMaxMarginClustering(2, loss="hinge", n_init=2, random_state=0),
    EvolvingKMeans(2, n_init=1, random_state=0),
    EvolvingSpectralClustering(2, n_init=1, random_state=0),
]


@parametrize_with_checks(INSTANCES)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
