"""Ideas of similarity to cluster with, and the choice among them without labels."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from maxmargin.clustering.model import indicators
from maxmargin.kernels.degrees_of_freedom import count_degrees
from maxmargin.kernels.graph_smoother import NeighborGraph
from maxmargin.kernels.kernel import Kernel, make_kernel
from maxmargin.kernels.landmarks import make_smoother
from maxmargin.kernels.leave_one_out import leave_one_out_error
from maxmargin.kernels.sample import Sample, draw_part
from maxmargin.kernels.smoother import Ridge, Smoother
from maxmargin.search.result import SearchResult

# The power of the sizes in the objective. With a kernel, a sample far from all others
# decides its own fit and would make a good cluster alone: a power below 1 prefers
# clusters of some size. In the space of a graph all samples are equally far out.
KERNEL_POWER = 0.7
GRAPH_POWER = 1.0
# A graph smoother has so many degrees of freedom for each cluster: one to tell it from
# the others and some to spare; and is made of so many eigenvectors.
DEGREES_PER_CLUSTER = 1.35
VECTORS_PER_CLUSTER = 3
# The radial kernel needs few samples to be clustered and to judge.
JUDGE_SAMPLES = 1000
# Another labelling replaces the first one if its leave-one-out error is below this
# share of the first one's.
CLEARLY_SMALLER = 0.7


@dataclass(frozen=True)
class Candidate:
    """A smoother to search on, its samples, and the power that goes with it."""

    sample: Sample
    smoother: Smoother
    power: float
    thorough: bool = True  # whether to search beyond the first local optima


@dataclass(frozen=True)
class Similarity:
    """What the user says of similarity, as in the parameters of the estimators."""

    kernel: Any
    gamma: float | str | None
    degree: float
    coef0: float
    kernel_params: dict | None
    ridge: Ridge
    landmarks: Any

    @property
    def sparse(self) -> bool:
        """Tell whether most of the work is on a graph, not on a matrix of all pairs."""
        return self.kernel == "neighbors" or (
            self.kernel == "auto" and self.ridge == Ridge()
        )

    def candidates(
        self,
        X,
        sample: Sample,
        n_clusters: int,
        random: np.random.RandomState,
        n_threads: int,
    ) -> list[Candidate]:
        """Return the smoothers to try, the one to be trusted first in front.

        ``"auto"`` tries the neighbour graph, with degrees of freedom to spare and
        without, and the radial kernel on some of the samples; the last one is also the
        judge of all.
        """
        if self.kernel == "neighbors":
            return self._by_graph(X, sample, n_clusters, n_threads)[:1]
        if not self.sparse:
            return [self._by_kernel(X, sample, random, n_threads)]
        part = draw_part(sample, JUDGE_SAMPLES, random)
        return [
            *self._by_graph(X, sample, n_clusters, n_threads),
            self._by_kernel(X, part, random, n_threads),
        ]

    def make_kernel(self, samples, random: np.random.RandomState) -> Kernel:
        """Return the kernel, its width from the samples where none is given."""
        return make_kernel(
            "rbf" if self.kernel == "auto" else self.kernel,
            samples,
            gamma=self.gamma,
            degree=self.degree,
            coef0=self.coef0,
            kernel_params=self.kernel_params,
            random=random,
        )

    def _by_kernel(
        self, X, sample: Sample, random: np.random.RandomState, n_threads: int
    ) -> Candidate:
        kernel = self.make_kernel(X[sample.indices], random)
        smoother = make_smoother(
            X, sample, kernel, self.ridge, self.landmarks, random, n_threads
        )
        return Candidate(sample, smoother, KERNEL_POWER)

    def _by_graph(
        self, X, sample: Sample, n_clusters: int, n_threads: int
    ) -> list[Candidate]:
        n_samples = len(sample.indices)
        wish = self.ridge.degrees_of_freedom
        degrees = (
            min(DEGREES_PER_CLUSTER * n_clusters, 0.9 * n_samples)
            if isinstance(wish, str)
            else count_degrees(wish, n_samples)
        )
        n_vectors = max(VECTORS_PER_CLUSTER * n_clusters, int(np.ceil(2 * degrees)))
        graph = NeighborGraph(X[sample.indices], sample.weights, n_vectors, n_threads)
        return [
            Candidate(sample, graph.soft_smoother(degrees), GRAPH_POWER),
            Candidate(
                sample, graph.hard_smoother(n_clusters), GRAPH_POWER, thorough=False
            ),
        ]


def choose(
    candidates: list[Candidate], runs: list[SearchResult], n_clusters: int
) -> int:
    """Return which of the labellings to keep, by their leave-one-out error.

    The judge is least squares with the smoother of the last candidate, the radial
    kernel: labels that it predicts well for samples left out have a margin around
    them. The first candidate is right more often than its error says, because the
    judge knows nothing of its graph; so another must be clearly better.
    """
    judge = candidates[-1]
    errors = []
    for candidate, run in zip(candidates, runs, strict=True):
        # The judge's samples are among those of every candidate.
        labels = run.labels[candidate.sample.inverse[judge.sample.indices]]
        targets = indicators(labels, n_clusters)
        errors.append(leave_one_out_error(judge.smoother, targets))
    best = int(np.argmin(errors))
    return best if errors[best] < CLEARLY_SMALLER * errors[0] else 0
