"""The conventions of scikit-learn."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from maxmargin import (
    EvolvingKMeans,
    EvolvingMaxMarginClustering,
    EvolvingSpectralClustering,
)

INSTANCES = [
    EvolvingMaxMarginClustering(2, n_init=2, random_state=0),
    EvolvingMaxMarginClustering(2, strategy="model", n_init=2, random_state=0),
    EvolvingMaxMarginClustering(2, loss="hinge", n_init=2, random_state=0),
    EvolvingKMeans(2, n_init=1, random_state=0),
    EvolvingSpectralClustering(2, n_init=1, random_state=0),
]


def two_clusters_only(estimator):
    """Return the checks that ask for another number of clusters than two."""
    if getattr(estimator, "loss", None) != "hinge":
        return {}
    names = (
        "check_clustering",
        "check_dont_overwrite_parameters",
        "check_fit2d_1feature",
        "check_fit2d_1sample",
        "check_fit2d_predict1d",
        "check_methods_subset_invariance",
    )
    return dict.fromkeys(names, "sets n_clusters to 1 or 3, and the hinge loss takes 2")


@parametrize_with_checks(INSTANCES, expected_failed_checks=two_clusters_only)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
