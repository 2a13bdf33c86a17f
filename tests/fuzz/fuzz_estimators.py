"""Every estimator with all of its parameters, as strategies of hypothesis."""

from hypothesis import strategies as st

import maxmargin

GAMMAS = ("median", "median", "scale", None, 0.1, 10.0)
KERNELS = ("rbf", "rbf", "linear", "poly", "laplacian", "sigmoid", "precomputed")


def choice(*values):
    return st.sampled_from(values)


def balances(k, *more):
    values = ["equal", 0.0, 0.3, 1.0, (1, None), (2, None), (None, None), *more]
    if k > 1:
        values.append([0.5] + [0.5 / (k - 1)] * (k - 1))
    return st.sampled_from(values)


@st.composite
def kernel_parameters(draw, kernels=KERNELS):
    return {
        "kernel": draw(st.sampled_from(kernels)),
        "gamma": draw(st.sampled_from(GAMMAS)),
        "degree": draw(choice(2, 3)),
        "coef0": draw(choice(0, 1)),
    }


@st.composite
def max_margin(draw):
    k = draw(st.sampled_from((1, 2, 2, 3, 3, 4, 6)))
    kernels = ("auto", "auto", "neighbors", *KERNELS)
    return draw(kernel_parameters(kernels)) | {
        "n_clusters": draw(choice(k, k, k, k, "auto")),
        "balance": draw(st.one_of(choice("free"), balances(k, "free"))),
        "power": draw(choice("auto", "auto", 0, 0.5, 1)),
        "search": draw(choice("auto", "auto", "shaking", "steepest", "stochastic")),
        "init": draw(choice("auto", "random", "k-means++")),
        "n_init": draw(choice("auto", 1, 3)),
        "degrees_of_freedom": draw(choice("auto", "auto", 0.3, 2.5)),
        "alpha": draw(choice(None, None, None, 1e-3, 1.0)),
        "landmarks": draw(choice("auto", None, 3)),
        "landmark_selection": draw(choice("random", "k-means++", "leader")),
        "scale": draw(choice("auto", "auto", True, False)),
        "max_iter": draw(choice(1000, 1000, 1)),
        "probability": draw(st.integers(0, 19)) == 0,
        "random_state": draw(st.integers(0, 3)),
    }


@st.composite
def evolutionary(draw):
    k = draw(choice(1, 2, 2, 3, 5))
    return draw(kernel_parameters()) | {
        "n_clusters": k,
        "balance": draw(balances(k, "free", "free")),
        "power": draw(choice("auto", 0, 0.7, 1)),
        "landmarks": draw(choice("auto", None, 3)),
        "population_size": draw(choice(1, 3)),
        "n_offspring": draw(choice(1, 2)),
        "n_flips": draw(choice("decreasing", 1, 3)),
        "classification": draw(st.booleans()),
        "patience": draw(choice("auto", "auto", 5)),
        "n_generations": draw(choice(None, None, 7)),
        "init": draw(choice("k-means", "random")),
        "n_init": draw(choice(1, 2)),
        "max_iter": draw(choice(1000, 1)),
        "random_state": draw(st.integers(0, 3)),
    }


@st.composite
def iterative(draw):
    k = draw(choice(1, 2, 2, 3, 5))
    losses = ("laplacian", "hinge", "squared", "epsilon_insensitive")
    return draw(kernel_parameters()) | {
        "n_clusters": k,
        "loss": draw(st.sampled_from(losses)),
        "C": draw(choice(1.0, 0.01, 500.0)),
        "balance": draw(balances(k, "free", "free")),
        "init": draw(choice("k-means", "k-means", "spectral", "normalized-cut")),
        "n_init": draw(choice(1, 2)),
        "landmarks": draw(choice("auto", None, 3)),
        "sparse": draw(choice(False, False, True)),
        "max_iter": draw(choice(100, 1)),
        "random_state": draw(st.integers(0, 3)),
    }


@st.composite
def cutting_plane(draw):
    k = draw(choice(1, 2, 2, 3, 4))
    return draw(kernel_parameters()) | {
        "n_clusters": k,
        "C": draw(choice("auto", 0.1, 100.0)),
        "balance": draw(balances(k)),
        "n_init": draw(choice(1, 2)),
        "landmarks": draw(choice("auto", None, 3)),
        "max_iter": draw(choice(100, 2)),
        "random_state": draw(st.integers(0, 3)),
    }


@st.composite
def semidefinite(draw):
    return draw(kernel_parameters()) | {
        "formulation": "gmmc",
        "C": draw(choice(1.0, 0.1, 10.0)),
        "balance_penalty": draw(choice("auto", 0.01, 100.0)),
        "balance": draw(balances(2, "free")),
        "random_state": 0,
    }


def leader():
    radius = choice("auto", "auto", 0.5, 3.0)
    return st.fixed_dictionaries({"radius": radius, "n_centers": choice(1, 2, 5, 8)})


@st.composite
def recursive(draw):
    inner = draw(
        choice(
            maxmargin.MaxMarginClustering(n_init=1),
            maxmargin.MaxMarginClustering(kernel="rbf", n_init=1),
            maxmargin.published.IterativeMaxMarginClustering(balance=0.6),
            maxmargin.published.CuttingPlaneMaxMarginClustering(n_init=1, balance=0.8),
        )
    )
    return {
        "estimator": inner,
        "n_clusters": draw(choice(1, 2, 3, 5)),
        "random_state": draw(st.integers(0, 3)),
    }


CLUSTERERS = {
    "MaxMarginClustering": max_margin(),
    "EvolutionaryMaxMarginClustering": evolutionary(),
    "IterativeMaxMarginClustering": iterative(),
    "CuttingPlaneMaxMarginClustering": cutting_plane(),
    "SemidefiniteMaxMarginClustering": semidefinite(),
    "LeaderClustering": leader(),
    "RecursiveBisection": recursive(),
}


@st.composite
def semi_supervised(draw):
    k = draw(choice(None, 2, 3, 4))
    return {
        "n_clusters": k,
        "kernel": draw(choice("auto", "auto", "neighbors", *KERNELS)),
        "gamma": draw(st.sampled_from(GAMMAS)),
        "balance": draw(choice("free", "free", "labels", "equal", 0.5)),
        "n_init": draw(choice("auto", 2)),
        "scale": draw(choice("auto", "auto", True, False)),
        "random_state": draw(st.integers(0, 3)),
    }


@st.composite
def reduced(draw):
    kernels = tuple(name for name in KERNELS if name != "precomputed")
    return draw(kernel_parameters(kernels)) | {
        "centers": draw(choice("leader", "k-means", "k-means++", "random")),
        "n_centers": draw(choice("auto", 2, 8)),
        "C": draw(choice(100.0, 0.1)),
        "class_weight": draw(choice(None, "balanced")),
        "random_state": draw(st.integers(0, 3)),
    }


CLASSIFIERS = {"SemiSupervisedMaxMargin": semi_supervised(), "ReducedSVC": reduced()}


@st.composite
def evolving(draw):
    loss = draw(choice("squared", "squared", "hinge"))
    graph = ("neighbors",) if loss == "squared" else ()
    return {
        "n_clusters": 2 if loss == "hinge" else draw(choice(1, 2, 3)),
        "strategy": draw(choice("cohort", "individual", "model")),
        "weight": draw(choice(0.7, 0.3, 1)),
        "loss": loss,
        "kernel": draw(choice(None, None, "rbf", *graph)),
        "balance": draw(choice("auto", "auto", "free" if loss != "hinge" else 0.5)),
        "n_init": draw(choice("auto", 2)),
        "scale": draw(choice("auto", "auto", True, False)),
        "random_state": draw(st.integers(0, 3)),
    }


def evolving_means():
    return st.fixed_dictionaries(
        {
            "n_clusters": choice(1, 2, 3),
            "history": choice("accumulate", "none"),
            "n_init": choice(1, 3),
            "random_state": st.integers(0, 3),
        }
    )


def evolving_spectral():
    return st.fixed_dictionaries(
        {
            "n_clusters": choice(1, 2, 3),
            "preserve": choice("quality", "membership"),
            "weight": choice(0.7, 0.3, 1.0),
            "n_init": choice(1, 3),
            "random_state": st.integers(0, 3),
        }
    )


EVOLVING = {
    "EvolvingMaxMarginClustering": evolving(),
    "EvolvingKMeans": evolving_means(),
    "EvolvingSpectralClustering": evolving_spectral(),
}


@st.composite
def segmenter(draw):
    features = ("auto", "rgb", "lab", ("rgb", "position"), ("texture",))
    return {
        "n_clusters": draw(choice(1, 2, 3)),
        "features": draw(st.sampled_from(features)),
        "mode": draw(choice("regions", "direct", "recursive")),
        "n_cells": draw(choice(1000, 60)),
        "random_state": draw(st.integers(0, 3)),
    }


IMAGES = {"ImageSegmenter": segmenter()}


def make(name, parameters):
    """Return an estimator; the parameters of a case are not shared with others."""
    from sklearn.base import clone

    return clone(getattr(maxmargin, name)(**parameters))
