"""Every estimator as strategies of hypothesis: with its defaults, and with others."""

from typing import NamedTuple

from hypothesis import strategies as st
from sklearn.base import clone

import maxmargin
from maxmargin import published

GAMMAS = ("median", "median", None, 0.1, 10.0)
KERNELS = ("rbf", "rbf", "linear", "poly", "laplacian", "sigmoid", "precomputed")


def choice(*values):
    return st.sampled_from(values)


SEEDS = {"random_state": st.integers(0, 3)}


def only(**strategies):
    """Return dictionaries of these parameters and a seed."""
    return st.fixed_dictionaries(strategies | SEEDS)


class Parameters(NamedTuple):
    """Strategies of the parameters of an estimator.

    In most cases all but the number of clusters and the seed are the defaults.
    """

    default: st.SearchStrategy
    other: st.SearchStrategy


def balances(k, *more):
    values = ["equal", 0.0, 0.3, 1.0, (1, None), (2, None), (None, None), *more]
    if k > 1:
        values.append([0.5] + [0.5 / (k - 1)] * (k - 1))
    return st.sampled_from(values)


@st.composite
def kernel_parameters(draw, kernels=KERNELS):
    kernel = draw(st.sampled_from(kernels))
    shapes = (None, {"coef0": 0}, {"degree": 2}, {"degree": 3, "coef0": 1})
    shaped = {"poly": shapes, "sigmoid": shapes[:2]}.get(kernel, (None,))
    return {
        "kernel": kernel,
        "gamma": draw(st.sampled_from(GAMMAS)),
        "kernel_params": draw(st.sampled_from(shaped)),
    }


@st.composite
def max_margin(draw):
    k = draw(st.sampled_from((1, 2, 2, 3, 3, 4, 6)))
    kernels = ("auto", "auto", "neighbors", *KERNELS)
    return draw(kernel_parameters(kernels)) | {
        "n_clusters": draw(choice(k, k, k, k, "auto")),
        "balance": draw(st.one_of(choice("free"), balances(k, "free"))),
        "n_init": draw(choice("auto", 1, 3)),
        "degrees_of_freedom": draw(choice("auto", "auto", 0.3, 2.5)),
        "scale": draw(choice("auto", "auto", True, False)),
        "probability": draw(st.integers(0, 9)) == 0,
        "random_state": draw(st.integers(0, 3)),
    }


@st.composite
def evolutionary(draw):
    k = draw(choice(1, 2, 2, 3, 5))
    return draw(kernel_parameters()) | {
        "n_clusters": k,
        "balance": draw(balances(k, "free", "free")),
        "landmarks": draw(choice("auto", None, 3, 0.2)),
        "population_size": draw(choice(1, 3)),
        "n_offspring": draw(choice(1, 2)),
        "n_flips": draw(choice("decreasing", 1, 3)),
        "classification": draw(st.booleans()),
        "patience": draw(choice("auto", "auto", 5)),
        "last_generation": draw(choice(None, None, 7)),
        "init": draw(choice("k-means", "random")),
        "n_init": draw(choice(1, 2)),
        "max_iter": draw(choice(1000, 1)),
        "random_state": draw(st.integers(0, 3)),
    }


@st.composite
def least_squares(draw):
    k = draw(choice(1, 2, 2, 3, 5))
    return draw(kernel_parameters()) | {
        "n_clusters": k,
        "balance": draw(st.one_of(choice("free"), balances(k, "free"))),
        "power": draw(choice(0.0, 0.5, 1.0)),
        "search": draw(choice("shaking", "steepest", "stochastic")),
        "n_shakings": draw(choice(20, 3)),
        "init": draw(choice("random", "k-means++")),
        "n_init": draw(choice(1, 3)),
        "landmarks": draw(choice("auto", None, 3)),
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
        "keep": draw(choice("last", "best")),
        "max_iter": draw(choice(100, 1)),
        "random_state": draw(st.integers(0, 3)),
    }


@st.composite
def cutting_plane(draw):
    k = draw(choice(1, 2, 2, 3, 4))
    form = {"sum_limit": draw(choice("auto", "auto", 2.0))}
    if draw(st.booleans()):
        form = {"formulation": "adapted", "balance": draw(balances(k))}
    return draw(kernel_parameters()) | {
        "n_clusters": k,
        "C": draw(choice("auto", 0.1, 100.0)),
        **form,
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


def leader(*radii):
    return st.fixed_dictionaries(
        {"radius": choice("auto", *radii), "n_centers": choice(1, 2, 5, 8)}
    )


@st.composite
def recursive(draw):
    inner = draw(
        choice(
            maxmargin.MaxMarginClustering(n_init=1),
            maxmargin.MaxMarginClustering(kernel="rbf"),
            published.IterativeMaxMarginClustering(balance=0.6),
            published.CuttingPlaneMaxMarginClustering(
                formulation="adapted", balance=0.8
            ),
        )
    )
    return {
        "estimator": inner,
        "n_clusters": draw(choice(1, 2, 3, 5)),
        "random_state": draw(st.integers(0, 3)),
    }


TWO = only(n_clusters=choice(2, 2, 3))
FEW = only(n_clusters=choice(2, 2, 3, 3, 5, 8, "auto"))
# Parameters, and the largest number of rows: a published solver takes the cube of it.
CLUSTERERS = {
    "MaxMarginClustering": (Parameters(FEW, max_margin()), 2000),
    "EvolutionaryMaxMarginClustering": (Parameters(TWO, evolutionary()), 60),
    "LeastSquaresMaxMarginClustering": (Parameters(TWO, least_squares()), 150),
    "IterativeMaxMarginClustering": (Parameters(TWO, iterative()), 150),
    "CuttingPlaneMaxMarginClustering": (Parameters(TWO, cutting_plane()), 250),
    "SemidefiniteMaxMarginClustering": (
        Parameters(only(formulation=choice("gmmc")), semidefinite()),
        40,
    ),
    "LeaderClustering": (Parameters(leader(), leader(0.5, 3.0)), 2000),
    "RecursiveBisection": (
        Parameters(only(n_clusters=choice(2, 3, 5)), recursive()),
        250,
    ),
}
CLUSTERERS = {
    name: case
    for name, case in CLUSTERERS.items()
    if name in (*maxmargin.__all__, *published.__all__)
}


@st.composite
def semi_supervised(draw):
    kernels = ("auto", "auto", "neighbors", *KERNELS)
    return draw(kernel_parameters(kernels)) | {
        "n_clusters": draw(choice(None, 2, 3, 4)),
        "balance": draw(choice("free", "free", "labels", "equal", 0.5)),
        "n_init": draw(choice("auto", 2)),
        "scale": draw(choice("auto", "auto", True, False)),
        "random_state": draw(st.integers(0, 3)),
    }


@st.composite
def reduced(draw):
    kernels = tuple(name for name in KERNELS if name != "precomputed")
    return draw(kernel_parameters(kernels)) | {
        "gamma": draw(choice("scale", "median", 0.1)),
        "centers": draw(choice("leader", "k-means", "k-means++", "random")),
        "n_centers": draw(choice("auto", 2, 8)),
        "C": draw(choice(100.0, 0.1)),
        "class_weight": draw(choice(None, "balanced")),
        "random_state": draw(st.integers(0, 3)),
    }


CLASSIFIERS = {
    "SemiSupervisedMaxMargin": (Parameters(only(), semi_supervised()), 1000),
    "ReducedSVC": (Parameters(only(), reduced()), 150),
}


@st.composite
def evolving(draw):
    return {
        "n_clusters": draw(choice(1, 2, 3, "auto")),
        "strategy": draw(choice("cohort", "individual", "model")),
        "weight": draw(choice(0.7, 0.3, 1)),
        "half_life": draw(choice("auto", 0, 2)),
        "kernel": draw(choice("rbf", "auto", "neighbors")),
        "balance": draw(choice("free", "free", 0.5)),
        "n_init": draw(choice("auto", 2)),
        "scale": draw(choice("auto", "auto", True, False)),
        "random_state": draw(st.integers(0, 3)),
    }


@st.composite
def evolving_mmc(draw):
    loss = draw(choice("hinge", "squared"))
    return {
        "n_clusters": draw(choice(2, 2, 3)),
        "strategy": draw(choice("cohort", "individual", "model")),
        "weight": draw(choice(0.7, 0.3, 1)),
        "loss": loss,
        "margin_shift": draw(choice("bound", "separate", "present", "past")),
        "formulation": draw(choice("published", "adapted")),
        "kernel": draw(choice(None, None, "rbf")),
        "balance": draw(choice("auto", "auto", 0.5)),
        "random_state": draw(st.integers(0, 3)),
    }


EVOLVING = {
    "EvolvingMaxMarginClustering": (
        Parameters(only(n_clusters=choice(2, 2, 3, "auto")), evolving()),
        1000,
    ),
    "EvolvingMMC": (Parameters(only(), evolving_mmc()), 100),
    "EvolvingKMeans": (
        Parameters(
            only(n_clusters=choice(2, 3)),
            only(
                n_clusters=choice(1, 2, 3),
                history=choice("accumulate", "none"),
                n_init=choice(1, 3),
            ),
        ),
        250,
    ),
    "EvolvingSpectralClustering": (
        Parameters(
            only(n_clusters=choice(2, 3)),
            only(
                n_clusters=choice(1, 2, 3),
                preserve=choice("quality", "membership"),
                weight=choice(0.7, 0.3, 1.0),
                n_init=choice(1, 3),
            ),
        ),
        150,
    ),
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


IMAGES = {"ImageSegmenter": Parameters(only(n_clusters=choice(2, 3)), segmenter())}


def make(name, parameters):
    """Return an estimator; the parameters of a case are not shared with others."""
    module = maxmargin if name in maxmargin.__all__ else published
    return clone(getattr(module, name)(**parameters))
