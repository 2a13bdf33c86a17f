"""The rows of two snapshots together: drawn for the search, and labelled after it."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from maxmargin.clustering.fit import Found, train
from maxmargin.clustering.model import MarginModel
from maxmargin.evolving.snapshots import stack_rows
from maxmargin.evolving.step import Step
from maxmargin.evolving.thin import thinned
from maxmargin.kernels.blocks import ArraySource
from maxmargin.kernels.sample import Sample, draw_positions, draw_sample
from maxmargin.search.assignment import assign_within_limits


@dataclass(frozen=True)
class Joint:
    """The rows of the present, below them those of the past."""

    rows: Any
    weights: np.ndarray
    units: np.ndarray  # the first row of the unit of each row
    n_now: int

    @property
    def leads(self) -> np.ndarray:
        """Tell of each row whether it is the first one of its unit."""
        return self.units == np.arange(len(self.units))

    def draw(self, limit: int, random: np.random.RandomState, merge: bool) -> Sample:
        """Draw units with all their rows, about ``limit`` rows in all."""
        if len(self.units) <= limit:
            return draw_sample(
                self.rows, self.weights, merge=merge, limit=None, random=random
            )
        leads = np.flatnonzero(self.leads)
        number = max(int(limit * len(leads) / len(self.units)), 1)
        drawn = np.zeros(len(self.units), dtype=bool)
        drawn[leads[draw_positions(len(leads), number, random)]] = True
        kept = np.where(drawn[self.units], self.weights, 0.0)
        sample = draw_sample(self.rows, kept, merge=merge, limit=None, random=random)
        return sample._replace(complete=False)


def join(step: Step, tied: bool) -> Joint:
    """Put two snapshots together; ``tied`` makes one unit of an object of both."""
    n_now, n_past = step.X.shape[0], step.past_X.shape[0]
    units = np.arange(n_now + n_past)
    if tied:
        units[n_now + step.matches.before] = step.matches.now
    weights = np.repeat([step.weight, 1.0 - step.weight], [n_now, n_past])
    return Joint(stack_rows(step.X, step.past_X), weights, units, n_now)


class Labelled(NamedTuple):
    """Labels of the present, and of some rows of the past, to name clusters after."""

    model: MarginModel
    now: np.ndarray
    shown: np.ndarray  # positions in the past
    past: np.ndarray  # labels of those
    converged: bool


def label_rows(step: Step, joint: Joint, found: Found, tied: bool) -> Labelled:
    """Label the rows by what was found on those that were searched.

    Without limits of sizes and ties the rows of the past are told by themselves, and
    those that were searched will do.
    """
    request, model, converged = step.request, found.model, True
    sample, n_now = found.candidate.sample, joint.n_now
    if not sample.complete:
        source = ArraySource(joint.rows, joint.weights, request.n_threads)
        fit = train([(joint.rows, found)], source, request, step.random)
        model = thinned(fit.model, joint.rows[sample.indices])
        converged = fit.converged
    if tied and step.free:
        return _label_pairs(step, model, converged)
    if sample.complete:
        labels = found.labels[sample.inverse]
    elif tied:
        labels = _label_units(step, joint, model)
    elif step.free:
        now = model.label(step.X, request.n_threads)
        shown = sample.indices[sample.indices >= n_now]
        past = model.label(joint.rows[shown], request.n_threads)
        return Labelled(model, now, shown - n_now, past, converged)
    else:
        labels = request.wishes.label_all(
            joint.rows, joint.weights, model, request.n_threads
        )
    shown = np.arange(step.past_X.shape[0])
    return Labelled(model, labels[:n_now], shown, labels[n_now:], converged)


def _label_pairs(step: Step, model: MarginModel, converged: bool) -> Labelled:
    """Label each object by ``a d(x_now) + (1 - a) d(x_before)``, or the one there is.

    Clusters are named after the objects of both snapshots, or the past if there is
    none.
    """
    n_threads = step.request.n_threads
    values = model.decide(step.X, n_threads)
    now, before = step.matches
    if not len(now):
        past = model.label(step.past_X, n_threads)
        shown = np.arange(len(past))
        return Labelled(model, values.argmax(axis=1), shown, past, converged)
    earlier = model.decide(step.past_X[before], n_threads)
    values[now] += (1.0 - step.weight) / step.weight * earlier
    labels = values.argmax(axis=1)
    return Labelled(model, labels, before, labels[now], converged)


def _label_units(step: Step, joint: Joint, model: MarginModel) -> np.ndarray:
    """Return the labels of all rows within size limits, rows of a unit the same."""
    decisions = model.decide(joint.rows, step.request.n_threads)
    decisions *= joint.weights[:, None]
    leads = joint.leads
    place = (np.cumsum(leads) - 1)[joint.units]
    totals, masses = decisions[leads], joint.weights[leads]
    totals[place[~leads]] += decisions[~leads]
    masses[place[~leads]] += joint.weights[~leads]
    limits = step.request.wishes.make_balance(masses, 1.0).limits
    labels = assign_within_limits(totals / masses[:, None], masses, limits)
    return np.asarray(labels[place])
