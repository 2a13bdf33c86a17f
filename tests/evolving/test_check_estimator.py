"""The conventions of scikit-learn.

The checks ask for 1 and 3 clusters, too, which ``loss="hinge"`` refuses.
"""

from sklearn.utils.estimator_checks import parametrize_with_checks

from maxmargin import (
    EvolvingKMeans,
    EvolvingMaxMarginClustering,
    EvolvingSpectralClustering,
)


@parametrize_with_checks(
    [
        EvolvingMaxMarginClustering(2, n_init=2, random_state=0),
        EvolvingKMeans(2, n_init=1, random_state=0),
        EvolvingSpectralClustering(2, n_init=1, random_state=0),
    ]
)
def test_conventions(estimator, check):
    check(estimator)
