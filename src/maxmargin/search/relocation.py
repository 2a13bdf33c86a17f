"""Clusters in few features, taken beyond local optima by relocation and recombination.

Where features are few, a pass over the samples (`search.features`) costs next to
nothing, and many can be made.
"""

import numpy as np

from maxmargin.rows.threads import map_blocks
from maxmargin.search.features import (
    MAX_PASSES,
    Problem,
    Solution,
    assign,
    make_passes,
    move_single_samples,
    solution_of,
    within_limits,
)
from maxmargin.search.near_clusters import (
    MANY_CLUSTERS,
    NearClusters,
    near_lists,
    pass_among_near,
)
from maxmargin.search.objective import MEANS, Objective
from maxmargin.search.splitting import next_best, split_clusters
from maxmargin.search.starts import fixed_starts, random_start
from maxmargin.search.state import OnIteration, SearchResult

# Without a given number, there are as many random starts as passes of START_COST
# operations in all, from MIN_RANDOM to MAX_RANDOM. They end when the best objective was
# reached N_HITS times.
START_COST = 3e7
MIN_RANDOM, MAX_RANDOM = 2, 60
N_HITS = 10
N_AT_ONCE = 4  # random starts that are drawn before the first of them is searched
SAME = 1e-9  # relative difference of two objectives that are the same
N_PARENTS = 6  # of the best labellings so far are recombined
# Relocations tried in a round, if their passes cost less than MAX_COST; at least two.
N_TRIALS = 10
MAX_COST = 1e8
PAIR_SHARE = 10  # of so many clusters one is relocated in the same trial
TRIAL_PASSES = 3  # passes after which a relocation must have improved the objective
# Of more samples a part is searched: its best centres are close to those of all. It is
# smaller where a pass over it would cost more than PART_COST, down to PART_ROWS samples
# per cluster.
PART_SIZE = 10_000
PART_COST, PART_ROWS = 2e8, 30


def relocate_centers(
    features: np.ndarray,
    weights: np.ndarray,
    n_clusters: int,
    random: np.random.RandomState,
    *,
    objective: Objective = MEANS,
    limits: np.ndarray | None = None,
    init: np.ndarray | None = None,
    n_random: int | None = None,
    on_iteration: OnIteration | None = None,
) -> SearchResult:
    """Return the best labels found.

    A typical error of a local optimum is one cluster split in two and two others
    merged. So one cluster is relocated: the samples of a cluster ``h`` go to the next
    best ones, and those of another cluster ``g`` are split in two [1]_. The pairs
    ``(h, g)`` with the largest estimated gain are tried, and the first one that
    improves the objective is kept, until none does.

    The search begins at the clusters of Ward's method and at the samples that a
    pivoted QR decomposition picks [2]_, neither of which is random, or at given labels.
    Random starts follow. Some are centres far from each other; the others recombine two
    of the best labellings so far: of each pair of matching clusters one is taken, and
    one of all is drawn anew [3]_. If the sizes are limited and the best labels without
    limits do not meet them, the search goes on from there within the limits, also from
    those that were the best before: more random starts never lower the objective.

    Parameters
    ----------
    features : ndarray of shape (n_samples, n_features)
    weights : ndarray of shape (n_samples,)
    n_clusters : int
    random : RandomState
    objective : Objective, default=MEANS
    limits : ndarray of shape (2, n_clusters), default=None
        The smallest and the largest size of each cluster.
    init : ndarray of shape (n_samples,), default=None
        Labels to start from, in place of the two fixed starts.
    n_random : int, default=None
        Number of random starts. By default there are 60, fewer for large problems, at
        least two, and they end when the best objective was reached ten times; with
        ``init`` there are none.
    on_iteration : callable, default=None
        Called after each start, and after each relocation of a single one.

    References
    ----------
    .. [1] B. Fritzke. The k-means-u* algorithm: non-local jumps and greedy retries
       improve k-means++ clustering. arXiv:1706.09059, 2017.
    .. [2] A. Damle, V. Minden, L. Ying. Simple, direct and efficient multi-way spectral
       clustering. Information and Inference 8(1), 2019. doi:10.1093/imaiai/iay008
    .. [3] D. Gribel, T. Vidal. HG-means: a scalable hybrid genetic algorithm for
       minimum sum-of-squares clustering. Pattern Recognition 88, 2019.
       doi:10.1016/j.patcog.2018.12.022
    """
    features = np.ascontiguousarray(features, dtype=np.float64)
    whole = Problem(features, weights, n_clusters, objective, limits)
    if len(features) <= n_clusters:
        labels = np.arange(len(features)) if init is None else init
        value = solution_of(whole, labels).value
        return SearchResult(labels, value, (value,), 0, True)
    step = -(-len(features) // part_size(whole))
    part = whole.part(step)
    given = None if init is None else init[::step].astype(np.int64)
    best = _best_starts(part, random, given, n_random, on_iteration)
    rounds = best[-1]
    if not within_limits(rounds[-1], part.limits):
        limited = [relocate(part, one[-1].labels, on_iteration) for one in best]
        rounds = max(limited, key=lambda rounds: rounds[-1].value)
    n_moves = int(np.sum(rounds[-1].labels != rounds[0].labels))
    if _has_many(part):
        rounds.append(make_passes(part, rounds[-1].labels))
    if step > 1:
        rounds = _pass_over_all(whole, part, rounds[-1])
    history = [one.value for one in rounds]
    history.append(history[-1])  # the last round, without improvement
    labels = rounds[-1].labels
    return SearchResult(labels, history[-1], tuple(history), n_moves, True)


def part_size(problem: Problem) -> int:
    """Return the number of samples that are searched."""
    affordable = PART_COST * len(problem.features) // problem.cost
    return int(min(PART_SIZE, max(affordable, PART_ROWS * problem.n_clusters)))


def _best_starts(
    problem: Problem,
    random: np.random.RandomState,
    init: np.ndarray | None,
    n_random: int | None,
    on_iteration: OnIteration | None,
) -> list[list[Solution]]:
    """Return the rounds of the starts that were better than all before them.

    Size limits do not count here.
    """
    free = problem._replace(limits=None)
    stops = n_random is None and init is None
    if n_random is None:
        n_random = _most_starts(problem) if init is None else 0
    single = init is not None and n_random == 0
    first = fixed_starts(problem) if init is None else [init]
    best: list[list[Solution]] = []
    parents: list[Solution] = []
    number = hits = n_drawn = 0
    starts = first
    while starts:
        for rounds in _relocate_all(free, starts, on_iteration if single else None):
            found, number = rounds[-1], number + 1
            if on_iteration is not None and not single:
                on_iteration(number, found.value, "start")
            known = parents[0].value if parents else -np.inf
            if found.value > known + SAME * abs(found.value):
                best.append(rounds)
                hits = 0
            same = found.value >= known - SAME * abs(found.value)
            hits += starts is not first and same
            parents = _keep_best(parents, found)
        # A group is not larger than the hits that are missing, so none is in vain.
        size = min(n_random - n_drawn, N_AT_ONCE, N_HITS - hits if stops else N_AT_ONCE)
        # Many clusters begin with a recombination, as a drawn start costs more.
        numbers = range(n_drawn + _has_many(free), n_drawn + _has_many(free) + size)
        starts = [random_start(free, parents, drawn, random) for drawn in numbers]
        n_drawn += size
    return best


def _relocate_all(
    problem: Problem, starts: list[np.ndarray], on_iteration: OnIteration | None
) -> list[list[Solution]]:
    """Return the rounds of some starts, each in a thread."""

    def run(one: slice) -> list[Solution]:
        return relocate(problem, starts[one.start], on_iteration)

    return map_blocks(run, len(starts), block_rows=1)


def _most_starts(problem: Problem) -> int:
    """Return the largest number of random starts for a problem of this size."""
    return max(MIN_RANDOM, min(MAX_RANDOM, int(START_COST / problem.cost)))


def _keep_best(parents: list[Solution], found: Solution) -> list[Solution]:
    """Return the best distinct solutions, the best one first."""
    if any(abs(one.value - found.value) <= SAME * abs(found.value) for one in parents):
        return parents
    ranked = sorted([*parents, found], key=lambda one: -one.value)
    return ranked[:N_PARENTS]


def relocate(
    problem: Problem, start: np.ndarray, on_iteration: OnIteration | None = None
) -> list[Solution]:
    """Return the solutions after passes from a start, and after each relocation."""
    rounds = [_passes(problem, start)]

    def add(found: Solution) -> None:
        rounds.append(found)
        if on_iteration is not None:
            on_iteration(len(rounds) - 1, found.value)

    while (found := _best_relocation(problem, rounds[-1])) is not None:
        add(found)
    polished = _passes(problem, rounds[-1].labels)
    lists = near_lists(problem, polished) if _has_many(problem) else None
    polished = move_single_samples(problem, polished, lists)
    if polished.value > rounds[-1].value:
        add(polished)
    return rounds


def _has_many(problem: Problem) -> bool:
    """Return True if samples are compared with the clusters near their own alone."""
    return problem.limits is None and problem.n_clusters > MANY_CLUSTERS


def _passes(
    problem: Problem, labels: np.ndarray, max_passes: int = MAX_PASSES
) -> Solution:
    if _has_many(problem):
        return pass_among_near(problem, labels, max_passes)
    return make_passes(problem, labels, max_passes)


def _next_best(problem: Problem, found: Solution) -> tuple[np.ndarray, np.ndarray]:
    """Return the second best cluster of each sample, and what each would lose."""
    labels = found.labels
    if _has_many(problem):
        near = NearClusters(problem, found)
        return near.other, near.losses(labels)
    slopes = found.slopes(problem)
    second, losses = next_best(slopes, problem.weights, labels, problem.n_clusters)
    return second, losses


def _best_relocation(problem: Problem, before: Solution) -> Solution | None:
    """Return a better solution in which clusters are relocated, or None.

    Without cluster ``h`` its samples lose the difference between their two largest
    slopes; if the samples of ``g`` become two clusters, the objective gains what the
    shares of these have more than that of ``g``. Of many clusters, several are
    relocated at once before single ones are tried.
    """
    features, weights, k, objective, _ = problem
    if k == 1:
        return None
    labels = before.labels
    second, losses = _next_best(problem, before)
    upper, gains = split_clusters(
        features, weights, labels, before.sums, before.sizes, objective
    )
    estimates = gains[None, :] - losses[:, None]
    np.fill_diagonal(estimates, -np.inf)
    n_trials = max(2, min(N_TRIALS, int(MAX_COST / problem.cost)))
    for pairs in relocation_trials(estimates, n_trials):
        trial = labels.copy()
        for removed, split in pairs:
            own = labels == removed
            trial[own] = second[own]
            trial[upper & (labels == split)] = removed
        tried = _passes(problem, trial, TRIAL_PASSES)
        if tried.value > before.value * (1 + SAME):
            return tried
    return None


def relocation_trials(
    estimates: np.ndarray, n_trials: int
) -> list[list[tuple[int, int]]]:
    """Return the pairs of clusters to remove and to split in each trial.

    The pairs of the first trial have no cluster in common and positive estimates of
    their gain. There are at most k / PAIR_SHARE of them; the other trials have one.
    """
    k = len(estimates)
    order = largest_entries(estimates, max(n_trials, k))
    ranked = [(int(h), int(g)) for h, g in zip(*divmod(order, k), strict=True)]
    ranked = [pair for pair in ranked if np.isfinite(estimates[pair])]
    group: list[tuple[int, int]] = []
    used: set[int] = set()
    for pair in ranked:
        if len(group) < k // PAIR_SHARE and estimates[pair] > 0 and not used & {*pair}:
            group.append(pair)
            used.update(pair)
    single = [[pair] for pair in ranked[:n_trials]]
    return [group, *single[: n_trials - 1]] if len(group) > 1 else single


def largest_entries(values: np.ndarray, size: int) -> np.ndarray:
    """Return the flat positions of the largest entries, the largest first.

    Of equal entries the first ones are taken.
    """
    flat = -values.ravel()
    if size < len(flat):
        bound = np.partition(flat, size - 1)[size - 1]
        some = np.flatnonzero(flat <= bound)
    else:
        some = np.arange(len(flat))
    return some[np.argsort(flat[some], kind="stable")][:size]


def _pass_over_all(whole: Problem, part: Problem, found: Solution) -> list[Solution]:
    """Return the solution of all samples that those of a part lead to.

    All samples are labelled by the decision values of the part.
    """
    zeros = np.zeros(len(whole.weights), dtype=np.int64)
    labels = assign(whole, found._replace(labels=zeros), whole.limits)
    return [solution_of(whole, labels), make_passes(whole, labels)]
