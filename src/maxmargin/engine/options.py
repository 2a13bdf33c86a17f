"""The options of a fit as a record, and how many samples they let a search take."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from maxmargin import progress
from maxmargin.engine.checks import (
    check_degrees,
    check_integer,
    check_n_init,
    check_n_jobs,
    check_no_switch,
    check_switch,
    check_verbose,
)
from maxmargin.resources import format_bytes, parse_memory_limit
from maxmargin.rows.preparation import Preparation, check_scale, choose_preparation
from maxmargin.rows.sample import Sample
from maxmargin.rows.sources import Sources, prepare_sources
from maxmargin.search.balance import Balance, make_balance
from maxmargin.search.objective import Objective
from maxmargin.search.state import OnIteration
from maxmargin.similarities import Similarity, similarity_of
from maxmargin.smoothers.kernel import (
    Kernel,
    check_gamma,
    check_kernel_params,
    make_kernel,
)

# The parameters of an estimator that are options of a fit.
NAMES = (
    *("n_clusters", "kernel", "gamma", "kernel_params", "degrees_of_freedom"),
    *("balance", "init", "n_init", "scale", "n_jobs"),
)
# With a kernel a search works on at most this many samples. On the graph it works on
# all up to the second number. Of those above it, one in so many is searched as costs
# as much as the labels of the others (benchmarks.scale.model). A first search takes the
# last number of them, which is enough if there are gaps between the clusters.
SEARCH_SAMPLES = 4000
MAX_GRAPH_SAMPLES = 150_000
LABELS_PER_SEARCH = 16
GRAPH_PART = 20_000
MIN_SAMPLES = 500  # the smallest number of samples for a search
UNKNOWN_CLUSTERS = 60  # that memory is kept for, if the number is to be found


@dataclass(frozen=True)
class Options:
    """The parameters of an estimator; see `MaxMarginClustering`."""

    n_clusters: Any
    kernel: Any = "auto"
    gamma: Any = "median"
    kernel_params: dict | None = None
    degrees_of_freedom: float | str = "auto"
    balance: Any = "free"
    init: Any = None
    n_init: int | str = "auto"
    n_jobs: int | None = None
    scale: Any = False
    memory: float = field(default_factory=lambda: parse_memory_limit(None))
    on_iteration: OnIteration | None = None
    affinities: bool = False  # whether a precomputed similarity is a sparse graph
    sources: Sources | None = None  # of the columns, if there are several

    @classmethod
    def of(cls, estimator, **changes) -> "Options":
        """Return the options of an estimator, checked."""
        given = {
            name: getattr(estimator, name) for name in NAMES if hasattr(estimator, name)
        }
        check_verbose(estimator.verbose)
        check_switch("probability", getattr(estimator, "probability", False))
        given["memory"] = parse_memory_limit(getattr(estimator, "memory_limit", None))
        given["on_iteration"] = progress.round_callback(estimator.verbose)
        options = cls(**(given | changes))
        options.check()
        return options

    def check(self) -> None:
        """Raise an error for options that are not valid."""
        similarity = self.similarity
        if not isinstance(self.n_clusters, str) or self.n_clusters != "auto":
            check_integer("n_clusters", self.n_clusters)
        elif self.kernel == "precomputed" and not self.affinities:
            raise ValueError(
                "n_clusters='auto' needs the neighbours of samples, and a precomputed "
                "kernel has none: give a number, or a sparse graph of affinities."
            )
        if self.sources is not None and not similarity.graph:
            raise ValueError(
                f"Several sources are compared by their neighbour graphs, which "
                f"kernel={self.kernel!r} has not: set kernel='auto', or give one array."
            )
        check_no_switch("balance", self.balance)
        check_degrees(self.degrees_of_freedom)
        check_n_init(self.n_init)
        check_n_jobs(self.n_jobs)
        check_kernel_params(similarity.kernel or similarity.name, self.kernel_params)
        check_gamma(self.gamma)
        check_scale(self.scale)

    def with_clusters(self, n_clusters: int) -> "Options":
        """Return the options with the number of clusters that was found."""
        return replace(self, n_clusters=n_clusters)

    @property
    def similarity(self) -> Similarity:
        """Return how samples are compared.

        Given affinities are a graph, and several sources have no kernel beside theirs.
        """
        similarity = similarity_of(self.kernel)
        if self.affinities:
            return replace(similarity, graph=True, kernel=None)
        if self.sources is not None and similarity.graph:
            return replace(similarity, kernel=None)
        return similarity

    @property
    def free(self) -> bool:
        """Return True if the cluster sizes are not limited."""
        return is_free(self.balance)

    def prepare(self, X, weights: np.ndarray, statistics: Any) -> Preparation:
        """Choose what is done to rows like X; see `choose_preparation`."""
        similarity = self.similarity
        if similarity.name == "precomputed":
            return Preparation()
        has_unit = callable(self.kernel) or not isinstance(self.gamma, str | None)
        chosen = {
            "weights": weights,
            "scale": self.scale,
            "transform": similarity.transform,
            "counts": similarity.counts,
            "has_unit": has_unit,
        }
        if self.sources is not None:
            return prepare_sources(X, statistics(), self.sources, **chosen)
        return choose_preparation(X, statistics, **chosen)

    def make_balance(self, weights: np.ndarray, objective: Objective) -> Balance:
        """Return the size limits for samples with the given weights."""
        positive = weights if weights.all() else weights[weights > 0]
        return make_balance(self.balance, self.n_clusters, positive, objective)

    def balance_of(
        self, sample: Sample, weights: np.ndarray, objective: Objective
    ) -> Balance:
        """Return the size limits for a sample of rows with the given weights."""
        if sample.complete or self.free:
            return self.make_balance(sample.weights, objective)
        whole = self.make_balance(weights, objective)
        return whole.of_part(sample.weights, weights.sum())

    def make_kernel(self, samples, random: np.random.RandomState) -> Kernel:
        """Return the kernel, with its width set from the samples by default."""
        name = self.similarity.kernel
        assert name is not None
        return make_kernel(
            name,
            samples,
            gamma=self.gamma,
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
        or not is_free(estimator.balance)
        or estimator.init is not None
        or bool(estimator.probability)
    )


def graph_size(n_samples: int) -> int:
    """Return the number of samples to search on the graph.

    All are searched up to ``MAX_GRAPH_SAMPLES``. Of those above it so many that their
    search costs about as much as the labels of the others: no number of samples is
    treated in another way than the next one.
    """
    more = max(n_samples - MAX_GRAPH_SAMPLES, 0)
    return min(n_samples, MAX_GRAPH_SAMPLES + more // LABELS_PER_SEARCH)


def part_sizes(n_samples: int, size: int, options: Options) -> list[int]:
    """Return the numbers of samples to search one after another, ``size`` at last.

    If there are gaps between the clusters of the first part, the others are the same.
    """
    some = size < n_samples and options.similarity.graph and np.isfinite(options.memory)
    some = some and not options.affinities
    return [GRAPH_PART, size] if some and GRAPH_PART < size else [size]


def search_size(n_samples: int, n_features: int, options: Options) -> int:
    """Return the number of samples to search, given the length of a row.

    With a kernel a search needs a matrix of all pairs, stored three times, and takes at
    most ``SEARCH_SAMPLES``. On the graph it takes `graph_size` samples, or all if the
    memory is infinite. Of a given graph it takes all, as parts of it are not connected.
    Memory may limit both.
    """
    memory = options.memory
    if options.similarity.graph:
        given = options.n_clusters
        n_clusters = UNKNOWN_CLUSTERS if isinstance(given, str) else given
        whole = options.affinities or np.isinf(memory)
        size = n_samples if whole else graph_size(n_samples)
        # The samples, also in single precision; lists and links; vectors and features.
        n_fitting = memory / (16 * n_features + 100 * n_clusters + 2000)
    else:
        size = SEARCH_SAMPLES
        n_fitting = np.sqrt(memory / (3 * 8))
    if n_fitting < min(n_samples, size, MIN_SAMPLES):
        raise ValueError(
            f"memory_limit={format_bytes(memory)} holds {int(n_fitting)} samples for "
            f"the search, which needs {MIN_SAMPLES}: raise memory_limit."
        )
    return int(min(size, n_fitting))
