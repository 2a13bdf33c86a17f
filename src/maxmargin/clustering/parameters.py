"""Parameters of the estimators: checks, and the record of options of a fit."""

import numbers
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array

from maxmargin import progress
from maxmargin.kernels.degrees_of_freedom import Ridge
from maxmargin.kernels.kernel import Kernel, check_gamma, check_kernel, make_kernel
from maxmargin.kernels.landmarks import Landmarks
from maxmargin.resources import parse_memory_limit
from maxmargin.rows.sample import Sample
from maxmargin.rows.scaling import check_scale
from maxmargin.search.balance import Balance, make_balance
from maxmargin.search.runs import SEARCHES
from maxmargin.search.shaking import DECAY
from maxmargin.search.state import OnIteration

INITS = ("auto", "random", "k-means++")
LANDMARK_SELECTIONS = ("random", "k-means++", "leader")
# With a kernel a search works on at most this many samples. On the graph it works on
# all up to the second number, and on the third number of more samples.
SEARCH_SAMPLES = 4000
MAX_GRAPH_SAMPLES = 150_000
GRAPH_PART = 40_000


@dataclass(frozen=True)
class Options:
    """The parameters of an estimator, checked; see `MaxMarginClustering`."""

    n_clusters: Any
    kernel: Any = "auto"
    gamma: Any = "median"
    degree: float = 3
    coef0: float = 1
    kernel_params: dict | None = None
    ridge: Ridge = field(default_factory=Ridge)
    landmarks: Landmarks = field(default_factory=Landmarks)
    balance: Any = "free"
    power: Any = "auto"
    search: str = "auto"
    shaking_decay: float | str = DECAY
    init: Any = "auto"
    n_init: int | str = "auto"
    max_iter: int = 1000
    n_jobs: int | None = None
    on_iteration: OnIteration | None = None
    scale: Any = False
    memory: float = field(default_factory=lambda: parse_memory_limit(None))
    search_samples: int = SEARCH_SAMPLES
    max_graph_samples: int = MAX_GRAPH_SAMPLES
    graph_part: int = GRAPH_PART

    @classmethod
    def of(cls, estimator, X, **changes) -> "Options":
        """Return the options of an estimator for samples X."""
        names = (
            *("n_clusters", "kernel", "gamma", "degree", "coef0", "kernel_params"),
            *("balance", "power", "search", "init", "n_init", "max_iter", "n_jobs"),
            *("scale", "shaking_decay"),
        )
        given = {
            name: getattr(estimator, name) for name in names if hasattr(estimator, name)
        }
        alpha = getattr(estimator, "alpha", None)
        given["ridge"] = Ridge(alpha, estimator.degrees_of_freedom)
        given["landmarks"] = check_landmarks(estimator, X)
        for name in ("search_samples", "max_graph_samples", "graph_part"):
            if hasattr(estimator, name):
                given[name] = getattr(estimator, name)
        given["memory"] = parse_memory_limit(getattr(estimator, "memory_limit", None))
        given["on_iteration"] = round_callback(estimator.verbose)
        options = cls(**(given | changes))
        check_kernel(options.kernel, ("auto", "neighbors"))
        check_gamma(options.gamma)
        return options

    def with_clusters(self, n_clusters: int) -> "Options":
        """Return the options with the number of clusters that was found."""
        return replace(self, n_clusters=n_clusters)

    @property
    def uses_graph(self) -> bool:
        """Return True if the search works on the neighbour graph."""
        return self.kernel == "neighbors" or (
            self.kernel == "auto" and self.ridge == Ridge()
        )

    @property
    def default_search(self) -> bool:
        """Return True if all options of the search have their defaults."""
        given = (self.power, self.search, self.init, self.n_init)
        return is_free(self.balance) and all(
            isinstance(value, str) and value == "auto" for value in given
        )

    @property
    def labels_by_decision(self) -> bool:
        """Return True if labels are the clusters with the largest decision values.

        That is the case if sizes are free; with power 0 labels are those of the
        published algorithms.
        """
        return is_free(self.balance) and self.power != 0

    def resolve_power(self, default: float) -> float:
        """Return the power of the sizes in the objective."""
        return default if isinstance(self.power, str) else float(self.power)

    def make_balance(self, weights: np.ndarray, power: float) -> Balance:
        """Return the size limits for samples with the given weights."""
        positive = weights if weights.all() else weights[weights > 0]
        return make_balance(self.balance, self.n_clusters, positive, power)

    def balance_of(self, sample: Sample, weights: np.ndarray, power: float) -> Balance:
        """Return the size limits for a sample of rows with the given weights."""
        if sample.complete:
            return self.make_balance(sample.weights, power)
        return self.make_balance(weights, power).of_part(sample.weights, weights.sum())

    def make_kernel(self, samples, random: np.random.RandomState) -> Kernel:
        """Return the kernel, with its width set from the samples by default."""
        return make_kernel(
            "rbf" if self.kernel == "auto" else self.kernel,
            samples,
            gamma=self.gamma,
            degree=self.degree,
            coef0=self.coef0,
            kernel_params=self.kernel_params,
            random=random,
        )


def is_free(balance: object) -> bool:
    """Return True if the option ``balance`` does not limit the sizes."""
    return isinstance(balance, str) and balance == "free"


def needs_all_rows(estimator) -> bool:
    """Return True if parameters of a clusterer need all samples in one place."""
    return (
        estimator.kernel == "precomputed"
        or estimator.landmarks is None
        or not is_free(estimator.balance)
        or not isinstance(estimator.init, str)
        or bool(estimator.probability)
    )


def round_callback(verbose: int) -> OnIteration | None:
    """Return the function that a search calls after each round or start, if any."""
    return print_round if verbose else progress.objective_callback()


def print_round(number: int, objective: float, name: str = "round") -> None:
    """Print the objective after a round or a start of a search."""
    print(f"{name} {number}: objective {objective:.6g}")


def check_parameters(estimator) -> None:
    """Raise an error for parameters of `MaxMarginClustering` that are not valid."""
    if estimator.n_clusters != "auto":
        check_integer("n_clusters", estimator.n_clusters)
    elif estimator.kernel == "precomputed":
        raise ValueError(
            "n_clusters='auto' needs the neighbours of samples, and a precomputed "
            "kernel has none: give a number."
        )
    check_integer("max_iter", estimator.max_iter)
    if estimator.n_init != "auto":
        check_integer("n_init", estimator.n_init)
    check_choice("search", estimator.search, SEARCHES)
    check_decay(estimator.shaking_decay)
    if isinstance(estimator.init, str):
        check_choice("init", estimator.init, INITS, "or an array of labels")
    check_power(estimator.power)
    check_ridge(estimator)
    check_scale(estimator.scale)


def check_choice(name: str, value: object, known: tuple, other: str = "") -> None:
    """Raise an error if a value is not one of the known ones."""
    if value not in known:
        other = f" {other}" if other else ""
        raise ValueError(f"{name}={value!r} is not known: use one of {known}{other}.")


def check_decay(decay: object) -> None:
    """Raise an error if the speed of shaking is not "linear" or a factor above 1."""
    if isinstance(decay, str):
        check_choice("shaking_decay", decay, ("linear",), "or a factor above 1")
    elif not isinstance(decay, numbers.Real) or not 1 < float(decay) < np.inf:
        raise ValueError(
            f"shaking_decay={decay!r} must be a factor above 1, or 'linear'."
        )


def check_power(power: object) -> None:
    """Raise an error if the power of the sizes is not "auto" or in [0, 1]."""
    if isinstance(power, str) and power == "auto":
        return
    if not isinstance(power, numbers.Real) or not 0 <= float(power) <= 1:
        raise ValueError(f"power={power!r} must be 'auto' or a number from 0 to 1.")


def check_ridge(estimator) -> None:
    """Raise an error for an invalid ridge parameter or degrees of freedom."""
    if estimator.alpha is not None:
        check_positive("alpha", estimator.alpha)
    if not isinstance(estimator.degrees_of_freedom, str):
        check_positive("degrees_of_freedom", estimator.degrees_of_freedom)
    elif estimator.degrees_of_freedom != "auto":
        raise ValueError(
            f"degrees_of_freedom={estimator.degrees_of_freedom!r} is not understood: "
            "give 'auto', a share of the samples below 1, or a number."
        )


def check_integer(name: str, value: object) -> None:
    """Raise an error if a value is not an int >= 1."""
    if (
        not isinstance(value, numbers.Integral)
        or isinstance(value, bool)
        or int(value) < 1
    ):
        raise ValueError(f"{name}={value!r} must be an int >= 1.")


def check_positive(name: str, value: object) -> None:
    """Raise an error if a value is not a positive number."""
    if not isinstance(value, numbers.Real) or not 0 < float(value) < np.inf:
        raise ValueError(f"{name}={value!r} must be a positive number.")


def check_weights(sample_weight, n_samples: int) -> np.ndarray:
    """Return the weights as an array of non-negative numbers, not all zero."""
    if sample_weight is None:
        return np.ones(n_samples)
    weights = check_array(
        sample_weight, ensure_2d=False, dtype=np.float64, input_name="sample_weight"
    )
    if weights.shape != (n_samples,):
        raise ValueError(
            f"sample_weight has shape {weights.shape}: give one weight for each of the "
            f"{n_samples} samples."
        )
    if (weights < 0).any():
        raise ValueError("sample_weight has negative values: weights count samples.")
    if not weights.any():
        raise ValueError("sample_weight is zero for every sample: give some weight.")
    largest = weights.max()
    if not 1e-100 < largest < 1e100:  # sums and squares would overflow or vanish
        weights = weights / largest
    return weights


def check_init(init, n_clusters: int, sample: Sample):
    """Return the kind of start, or the starting labels of the searched samples."""
    if isinstance(init, str):
        return init
    labels = np.asarray(init)
    if labels.shape != (sample.n_rows,) or not np.issubdtype(labels.dtype, np.integer):
        raise ValueError(
            f"init must have one integer for each of the {sample.n_rows} samples."
        )
    if labels.min() < 0 or labels.max() >= n_clusters:
        raise ValueError(
            f"init has labels from {labels.min()} to {labels.max()}: they must lie "
            f"between 0 and n_clusters - 1 = {n_clusters - 1}."
        )
    return labels[sample.indices].astype(np.int64)


def check_landmarks(estimator, X) -> Landmarks:
    """Return the parameters ``landmarks`` and ``landmark_selection`` as a record."""
    landmarks = estimator.landmarks
    selection = getattr(estimator, "landmark_selection", "random")
    check_choice("landmark_selection", selection, LANDMARK_SELECTIONS)
    if landmarks is None or (isinstance(landmarks, str) and landmarks == "auto"):
        return Landmarks(landmarks, selection)
    if isinstance(landmarks, numbers.Integral) and int(landmarks) >= 1:
        return Landmarks(int(landmarks), selection)
    if not sp.issparse(landmarks) and np.ndim(landmarks) != 2:
        raise ValueError(
            f"landmarks={landmarks!r} is not understood: give 'auto', a number, an "
            "array of points, or None for the exact method."
        )
    points = check_array(landmarks, accept_sparse="csr", input_name="landmarks")
    if points.shape[1] != X.shape[1]:
        raise ValueError(
            f"landmarks have {points.shape[1]} features and the samples {X.shape[1]}."
        )
    return Landmarks(points, selection)
