"""The strategies ``"cohort"`` and ``"individual"`` with the square loss.

With the smoother ``S`` of some rows with weights w, the objective is
``sum_h z_h' S z_h / n_h^p`` (`search.state`). The rows are those of both snapshots, the
present ones with weight a, the past ones with 1 - a, as in equation (15) of Fan et al.

- **cohort**: the labels of all rows are free. An object that came has weight a, one
  that left 1 - a.
- **individual**: an object of both snapshots is one unit, its two rows move together.
  A unit is a sample with the weighted mean of the features of its rows, so it gets the
  cluster with the largest ``a d(x_now) + (1 - a) d(x_before)``, with the decision
  values d. As published, each row has its own label (`shared_slack`).

Labels that are constant on units are ``z_h = M' u_h``; the objective depends on them
through ``u_h' (M S M') u_h`` and ``(M w)' u_h`` (`search.constraints`). For a smoother
of low rank, ``S = W Phi Phi' W``, a unit is a sample of weight ``M w`` whose features
are the weighted mean of those of its rows.
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from maxmargin.engine.candidates import Candidate, make_candidates
from maxmargin.engine.choice import Clusters, find_clusters
from maxmargin.engine.fit import label_within_limits
from maxmargin.engine.model import (
    MarginModel,
    model_of_targets,
    reduce_landmarks,
    reduce_neighbors,
)
from maxmargin.evolving.shared_slack import (
    SharedSlack,
    descend_with_two_labels,
    pairs_of,
)
from maxmargin.evolving.snapshots import Matches, stack_rows
from maxmargin.evolving.step import (
    Outcome,
    SnapshotStep,
    extend_labels,
    prefer,
    search_afresh,
    search_from,
    separates_snapshots,
)
from maxmargin.metrics.matching import contingency_table, share_moved
from maxmargin.rows.sample import Sample, draw_positions, draw_sample, indicators
from maxmargin.search.constraints import merge_groups
from maxmargin.search.limits import assign_within_limits
from maxmargin.search.objective import MEANS, PLAIN_SUM
from maxmargin.search.state import SearchResult
from maxmargin.smoothers.smoother import ExactSmoother, LowRankSmoother, features_of

SIGNIFICANCE = 0.01  # level at which a cluster without present objects is gone


@dataclass(frozen=True)
class JointRows:
    """The rows of the present, followed by those of the past."""

    rows: Any
    weights: np.ndarray
    units: np.ndarray  # the first row of the unit of each row
    n_now: int

    @property
    def is_first(self) -> np.ndarray:
        """Return a mask of the rows that are the first one of their unit."""
        return self.units == np.arange(len(self.units))

    def draw(self, limit: int, random: np.random.RandomState, merge: bool) -> Sample:
        """Draw units with all their rows, about ``limit`` rows in all."""
        if len(self.units) <= limit:
            return draw_sample(
                self.rows, self.weights, merge=merge, limit=None, random=random
            )
        first = np.flatnonzero(self.is_first)
        number = max(int(limit * len(first) / len(self.units)), 1)
        drawn = np.zeros(len(self.units), dtype=bool)
        drawn[first[draw_positions(len(first), number, random)]] = True
        kept = np.where(drawn[self.units], self.weights, 0.0)
        sample = draw_sample(self.rows, kept, merge=merge, limit=None, random=random)
        return sample._replace(complete=False)


def join_rows(step: SnapshotStep, tied: bool) -> JointRows:
    """Join two snapshots; ``tied`` makes one unit of an object of both."""
    n_now, n_past = step.X.shape[0], step.past_X.shape[0]
    units = np.arange(n_now + n_past)
    if tied:
        units[n_now + step.matches.before] = step.matches.now
    weights = np.repeat([step.weight, 1.0 - step.weight], [n_now, n_past])
    return JointRows(stack_rows(step.X, step.past_X), weights, units, n_now)


class UnrelatedSnapshotsError(Exception):
    """Two snapshots share no object, and their clusters would separate them by time."""


def cluster_two_snapshots(step: SnapshotStep, tied: bool) -> Outcome:
    """Cluster two snapshots together: cohort, or individual with tied rows.

    Raises `UnrelatedSnapshotsError` if no function holds for both.
    """
    joint = join_rows(step, tied)
    options, k, random = step.options, step.n_clusters, step.random
    start = _past_labels(step) if k > 1 else None
    two_labels = tied and step.published
    searched = replace(joint, units=np.arange(len(joint.units)))
    searched = searched if two_labels else joint
    search = partial(_search_units, step=step, joint=searched, start=start)
    sample = joint.draw(step.max_samples, random, merge=not tied)
    candidates = make_candidates(joint.rows, sample, options, random)
    relabel = options.free and not tied
    clusters = find_clusters(
        joint.rows, sample, options, candidates, search, relabel=relabel
    )
    inverse = clusters.candidate.sample.inverse
    gone = _rows_of_the_gone(clusters, inverse, joint.n_now)
    if len(gone):
        return cluster_two_snapshots(_without(step, gone), tied)
    if two_labels:
        clusters, losses = _share_slack(step, joint, clusters)
    else:
        targets = indicators(clusters.labels, k)
        losses = clusters.candidate.smoother.losses(targets)
    model, labels = _label_rows(step, joint, clusters, tied and not two_labels)
    now, past = np.split(inverse, [joint.n_now])
    costs = (_mean_of(losses, now), _mean_of(losses, past), clusters.run.objective)
    return Outcome(labels, model, None, costs, clusters.run.converged)


def _share_slack(
    step: SnapshotStep, joint: JointRows, clusters: Clusters
) -> tuple[Clusters, np.ndarray]:
    """Return the clusters with a slack for each object, and the losses of the rows."""
    candidate, k = clusters.candidate, clusters.n_clusters
    smoother = candidate.smoother
    pairs = pairs_of(joint.units[candidate.sample.indices])
    problem = SharedSlack(features_of(smoother), smoother.weights, *pairs)
    limits = None
    if not step.options.free:
        limits = step.options.make_balance(smoother.weights, MEANS).limits
    found = descend_with_two_labels(problem, clusters.labels, k, limits)
    model, _ = model_of_targets(smoother, found.targets, PLAIN_SUM)
    run = replace(
        clusters.run,
        labels=found.labels,
        objective=found.objective,
        converged=found.converged,
    )
    candidate = replace(candidate, objective=PLAIN_SUM)
    clusters = replace(
        clusters, candidate=candidate, run=run, labels=found.labels, model=model
    )
    return clusters, found.losses


def _rows_of_the_gone(
    clusters: Clusters, inverse: np.ndarray, n_now: int
) -> np.ndarray:
    """Return positions of the past rows in clusters that no present object has.

    Such a cluster would take the place of a present one. With a share q of the past, it
    has no object among n by chance with the probability ``(1 - q)^n``: few objects are
    no proof that it is gone.
    """
    labels = np.where(inverse >= 0, clusters.labels[inverse], -1)
    now, past = labels[:n_now], labels[n_now:]
    k = clusters.n_clusters
    n_searched = np.count_nonzero(now >= 0)
    sizes = np.bincount(past[past >= 0], minlength=k)
    empty = np.bincount(now[now >= 0], minlength=k) == 0
    shares = sizes / max(sizes.sum(), 1)
    gone = empty & (sizes > 0) & ((1.0 - shares) ** n_searched < SIGNIFICANCE)
    if not gone.any():
        return np.empty(0, dtype=np.int64)
    unknown = np.flatnonzero(past < 0)
    if len(unknown):
        past[unknown] = clusters.model.label(clusters.X[n_now + unknown])
    return np.flatnonzero(gone[past])


def _without(step: SnapshotStep, gone: np.ndarray) -> SnapshotStep:
    """Return a step without some rows of the past."""
    kept = np.ones(len(step.past_labels), dtype=bool)
    kept[gone] = False
    if not kept.any():
        raise UnrelatedSnapshotsError
    position = np.cumsum(kept) - 1
    there = kept[step.matches.before]
    matches = Matches(step.matches.now[there], position[step.matches.before[there]])
    return replace(
        step,
        past_X=step.past_X[kept],
        past_labels=step.past_labels[kept],
        matches=matches,
    )


def _mean_of(losses: np.ndarray, positions: np.ndarray) -> float:
    """Return the mean loss of rows given by their positions, -1 for none."""
    there = positions[positions >= 0]
    return float(losses[there].mean()) if len(there) else 0.0


def _past_labels(step: SnapshotStep) -> np.ndarray:
    """Return the past labels of all rows, -1 for new objects."""
    now = np.full(step.X.shape[0], -1)
    now[step.matches.now] = step.past_labels[step.matches.before]
    return np.concatenate([now, step.past_labels])


def _search_units(
    candidate: Candidate, step: SnapshotStep, joint: JointRows, start: np.ndarray | None
) -> SearchResult:
    """Return the best run on a candidate, with labels of its rows.

    One run starts afresh, the other from the past labels.
    """
    k, weights = step.n_clusters, joint.weights
    tied, groups = tie_units(candidate, joint.units)
    run = search_afresh(step, tied, weights)
    if start is not None and len(tied.sample.weights) > k:
        known = labels_of_equal(start, candidate.sample, weights, k)
        if (known >= 0).any():
            first = _labels_of_units(
                extend_labels(candidate.smoother, known, k), groups
            )
            warm = search_from(step, tied, weights, first)
            old = candidate.sample.indices >= joint.n_now
            if separates_snapshots(run.labels[groups], old, known):
                if not len(step.matches.now) or not step.same_number:
                    raise UnrelatedSnapshotsError
                run = warm
            else:
                before, loss = _labels_of_units(known, groups), tied.smoother.mean_loss
                one, other = warm.labels, run.labels
                moved = share_moved(one, before, k), share_moved(other, before, k)
                targets = indicators(one, k), indicators(other, k)
                costs = loss(targets[0]), loss(targets[1])
                # Do not penalise moves when the number of clusters has changed.
                weight = step.weight if step.same_number else 1.0
                run = (warm, run)[prefer(costs, moved, weight)]
    return replace(run, labels=run.labels[groups])


def labels_of_equal(
    labels: np.ndarray, sample: Sample, weights: np.ndarray, n_clusters: int
) -> np.ndarray:
    """Return the label with most weight among the rows equal to each sample.

    Rows with label -1 have no vote; a sample without any vote gets -1.
    """
    groups, rows, n_distinct = sample.groups, sample.rows, len(sample.indices)
    votes = contingency_table(
        groups, labels[rows], n_distinct, n_clusters, weights[rows]
    )
    return np.where(votes.any(axis=1), votes.argmax(axis=1), -1)


def tie_units(candidate: Candidate, units: np.ndarray) -> tuple[Candidate, np.ndarray]:
    """Return a candidate with units in place of rows, and the unit of each row."""
    sample, smoother = candidate.sample, candidate.smoother
    names, first, groups = np.unique(
        units[sample.indices], return_index=True, return_inverse=True
    )
    if len(names) == len(groups):
        return candidate, np.arange(len(groups))
    if isinstance(smoother, LowRankSmoother):
        masses = np.bincount(groups, sample.weights)
        sums = np.zeros((len(names), smoother.features.shape[1]))
        np.add.at(sums, groups, smoother.features * smoother.weights[:, None])
        tied: LowRankSmoother | ExactSmoother = replace(
            smoother, weights=masses, features=sums / masses[:, None]
        )
    else:
        values, masses = merge_groups(
            smoother.matrix(), sample.weights, groups, len(names)
        )
        tied = ExactSmoother(smoother.feature_map, masses, smoother.alpha, values)
    together = sample._replace(indices=sample.indices[first], weights=masses)
    labels = None if candidate.labels is None else candidate.labels[first]
    return replace(candidate, sample=together, smoother=tied, labels=labels), groups


def _labels_of_units(labels: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Return the label of the first row of each unit."""
    return labels[np.unique(groups, return_index=True)[1]]


def _label_rows(
    step: SnapshotStep, joint: JointRows, clusters: Clusters, tied: bool
) -> tuple[MarginModel, np.ndarray]:
    """Label the present, given the clusters of the rows that were searched.

    The functions of the search label the other rows. Passes over more rows would raise
    the objective a little further, along boundaries between clusters that overlap,
    where it is flat, and agree less with the clusters.
    """
    options, candidate, model = step.options, clusters.candidate, clusters.model
    sample, n_now = candidate.sample, joint.n_now
    if candidate.graph is not None:
        model = reduce_neighbors(model, clusters.labels, candidate.graph)
    elif not sample.complete:
        model = reduce_landmarks(model, joint.rows[sample.indices])
    if tied and options.free:
        return model, _label_pairs(step, model)
    if sample.complete:
        return model, clusters.labels[sample.inverse[:n_now]]
    if options.free:
        return model, model.label(step.X)
    if tied:
        labels = _label_units(step, joint, model)
    else:
        labels = label_within_limits(joint.rows, joint.weights, model, options)
    return model, labels[:n_now]


def _label_pairs(step: SnapshotStep, model: MarginModel) -> np.ndarray:
    """Label each object by ``a d(x_now) + (1 - a) d(x_before)``."""
    values = model.decide(step.X)
    now, before = step.matches
    if len(now):
        earlier = model.decide(step.past_X[before])
        values[now] += (1.0 - step.weight) / step.weight * earlier
    return np.asarray(values.argmax(axis=1))


def _label_units(
    step: SnapshotStep, joint: JointRows, model: MarginModel
) -> np.ndarray:
    """Return the labels of all rows within size limits, equal within a unit."""
    decisions = model.decide(joint.rows)
    decisions *= joint.weights[:, None]
    first = joint.is_first
    place = (np.cumsum(first) - 1)[joint.units]
    totals, masses = decisions[first], joint.weights[first]
    totals[place[~first]] += decisions[~first]
    masses[place[~first]] += joint.weights[~first]
    limits = step.options.make_balance(masses, MEANS).limits
    labels = assign_within_limits(totals / masses[:, None], masses, limits)
    return np.asarray(labels[place])
