"""What the clusterers of evolving data share: snapshots, ids, times, the history."""

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted

from maxmargin import progress
from maxmargin.clustering.base import check_n_samples, unchanged_on_failure
from maxmargin.clustering.samples import validate_samples
from maxmargin.documented import DocumentedMixin
from maxmargin.engine.checks import check_integer
from maxmargin.evolving.names import (
    Labelled,
    find_returned,
    report_events,
    update_known,
)
from maxmargin.evolving.snapshots import (
    Snapshot,
    as_frame,
    check_ids,
    check_length,
    check_time,
    events_table,
    group_times,
    make_record,
    objects_table,
    snapshots_table,
)
from maxmargin.evolving.step import Outcome, name_after_past


class EvolvingClusterer(ClusterMixin, DocumentedMixin, BaseEstimator):
    """A clusterer of one snapshot after another.

    A subclass has ``n_clusters``, checks its parameters in ``_check`` and finds the
    clusters of the next snapshot in ``_advance``, which does not change the estimator.
    """

    _past: Snapshot | None = None
    _outcome: Outcome | None = None

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    @unchanged_on_failure
    def fit(self, X: Any, y: Any = None, *, times: Any = None, ids: Any = None) -> Self:
        """Cluster a whole table of objects at several times.

        Earlier snapshots are discarded.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_rows, n_features)
            One row for each object and time, in any order.
        y : Ignored
            Present for the conventions of scikit-learn.
        times : array-like of shape (n_rows,), default=None
            The time of each row, numbers, dates or strings; rows of one time are a
            snapshot. Strings that are all numbers are ordered as such, others by
            their letters. By default all rows are one snapshot.
        ids : array-like of shape (n_rows,), default=None
            The object of each row; by default its position within its snapshot.

        Returns
        -------
        self : object
            ``labels_`` has the labels of all rows.
        """
        self._check()
        rows = self._validate(X, first=True)
        moments, groups = group_times(times, rows.shape[0])
        ids = None if ids is None else np.asarray(ids)
        if ids is not None:
            check_length("ids", ids, rows.shape[0])
        labels = np.empty(rows.shape[0], dtype=np.int64)
        history = []
        past = outcome = None
        for number, moment in enumerate(moments):
            here = np.flatnonzero(groups == number)
            names = None if ids is None else ids[here]
            with progress.step(number, len(moments)):
                past, outcome, record = self._next(
                    rows[here], names, moment, past, outcome
                )
            labels[here] = outcome.labels
            history.append(record)
        self._set_attributes(past, outcome, history)
        self.labels_ = labels
        return self

    @unchanged_on_failure
    def partial_fit(
        self, X: Any, y: Any = None, *, ids: Any = None, time: Any = None
    ) -> Self:
        """Cluster the next snapshot.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_objects, n_features)
        y : Ignored
            Present for the conventions of scikit-learn.
        ids : array-like of shape (n_objects,), default=None
            Ids of the objects, numbers or strings, in any order; equal ids in two
            snapshots are the same object. By default the row numbers.
        time : number, str or date, default=None
            Must be later than that of the previous snapshot; by default one more.

        Returns
        -------
        self : object
            ``labels_`` has the labels of this snapshot. If an error is raised, the
            estimator is unchanged.
        """
        self._check()
        past, outcome = self._past, self._outcome
        # The next step needs the rows, also if the caller changes the array in place.
        X = self._validate(X, first=past is None).copy()
        present, outcome, record = self._next(X, ids, time, past, outcome)
        earlier = [] if past is None else self.history_
        self._set_attributes(present, outcome, [*earlier, record])
        return self

    def _next(self, X, ids, time, past, outcome):
        """Return the next snapshot, its clusters and its record."""
        if past is None and not isinstance(self.n_clusters, str):
            check_n_samples(X.shape[0], self.n_clusters)
        ids = check_ids(ids, X.shape[0], None if past is None else past.ids)
        time = check_time(time, None if past is None else past.time)
        X, past, memory = self._remember(X, ids, time, past)
        previous, outcome = outcome, self._advance(X, ids, past, outcome)
        events: tuple = ()
        if past is None:
            known = update_known((), X, Labelled(ids, outcome.labels), None)
        else:
            outcome = name_after_past(outcome, X, ids, past, previous)
            returned = find_returned(X, ids, outcome.labels, past.ids, past.known)
            outcome = outcome.relabel(returned)
            before = Labelled(past.ids, past.labels)
            now = Labelled(ids, outcome.labels)
            known = update_known(past.known, X, now, before)
            events, known = report_events(before, now, past.known, known)
        present = Snapshot(X, ids, time, outcome.labels, memory, known)
        return present, outcome, make_record(present, past, outcome.costs, events)

    def _set_attributes(self, present, outcome, history):
        self._past, self._outcome, self.history_ = present, outcome, history
        self.labels_ = outcome.labels
        self.n_clusters_ = outcome.n_clusters
        self.n_iter_ = len(history)

    def _validate(self, X, first):
        if _n_rows(X) == 0:
            raise ValueError(
                "Found array with 0 sample(s): a snapshot needs at least one object. "
                "Leave out the times without objects."
            )
        return validate_samples(self, X, reset=first)

    def _remember(self, X, ids, time, past):
        """Return the rows to cluster, the past with comparable rows, and the memory.

        By default objects are not remembered.
        """
        return X, past, None

    def _last_outcome(self):
        """Return the clusters of the last snapshot; raise an error if there is none."""
        check_is_fitted(self, "history_")
        outcome: Any = self._outcome
        return outcome

    def _check(self):
        """Raise an error for invalid parameters."""
        check_integer("n_clusters", self.n_clusters)

    @abstractmethod
    def _advance(
        self, X, ids: np.ndarray, past: Snapshot | None, previous: Outcome | None
    ) -> Outcome:
        """Return the clusters of the next snapshot, numbered from 0."""

    def to_frame(self, of: Any = "objects") -> Any:
        """Return the history as a pandas DataFrame.

        Parameters
        ----------
        of : {"objects", "snapshots", "events"}, default="objects"
            A row for each object and time with its cluster and whether it came,
            stayed or moved; a row for each snapshot with costs and counts; or a row
            for each event with the clusters and objects concerned.

        Returns
        -------
        frame : pandas.DataFrame
        """
        check_is_fitted(self, "history_")
        tables = {
            "objects": objects_table,
            "snapshots": snapshots_table,
            "events": events_table,
        }
        if of not in tables:
            raise ValueError(
                f"of={of!r} is not known: use 'objects', 'snapshots' or 'events'."
            )
        return as_frame(tables[of](self.history_))


def _n_rows(X) -> int:
    if hasattr(X, "shape"):
        return int(X.shape[0]) if len(X.shape) else 1
    return len(X) if hasattr(X, "__len__") else 1
