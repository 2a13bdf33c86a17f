"""Whether single corrections on the page of ``maxmargin app`` do harm.

An oracle knows the classes. From the clusters of the first fit it makes one correction,
which is right, and starts again. Printed are the largest loss and the mean gain of the
adjusted Rand index, and how many rows moved that the correction did not name.
"""

import argparse
import os
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler

from benchmarks.accuracy.small import draw_rows
from benchmarks.accuracy.tasks import load_task
from maxmargin.app.corrections import apply
from maxmargin.app.engine import Engine
from maxmargin.app.schemas import Apart, Assign, Merge, Settings, Split, Together
from maxmargin.tables.samples import TableSamples

# The rule was chosen on the first half; the second was held back until the end.
CHOSEN = (
    *("iris", "wdbc", "digits", "letter A-D", "satellite", "image_segmentation"),
    *("blobs apart", "customers", "snips7", "sc_kidney"),
)
HELD_BACK = (
    *("wine", "breast_cancer_wisconsin", "usps", "pendigits", "vowel", "two moons"),
    *("blobs touching", "few customers", "agnews", "stackoverflow20"),
)
MAX_ROWS, N_CORRECTIONS = 1500, 50
ALLOWED_LOSS = 0.01
PURE = 0.8  # the share of one class in a cluster that is said to be that class
MIXED = 0.3  # the share of the second class in a cluster that is said to be two


class Oracle(NamedTuple):
    """The state before a correction, the classes, and the generator of random draws."""

    engine: Engine
    state: object
    y: np.ndarray
    random: np.random.RandomState

    @property
    def shares(self):
        """The shares of the classes in the clusters (ids x classes)."""
        labels, ids = self.state.labels, self.state.ids
        counts = [
            np.bincount(self.y[labels == c], minlength=self.y.max() + 1) for c in ids
        ]
        return np.array(counts) / np.sum(counts, axis=1, keepdims=True)

    def right_clusters(self):
        """Return the cluster of each class: the one with most of its rows.

        It is -1 if most rows of that cluster are of other classes.
        """
        labels, shares = self.state.labels, self.shares
        found = []
        for c in range(self.y.max() + 1):
            cluster = np.bincount(labels[self.y == c]).argmax()
            row = shares[np.searchsorted(self.state.ids, cluster)]
            found.append(cluster if row[c] > 0.5 else -1)
        return np.array(found)

    def wrong_rows(self):
        """Return the rows that are not in the cluster of their class."""
        right = self.right_clusters()[self.y]
        return np.flatnonzero((right >= 0) & (right != self.state.labels))

    def pair(self, same_class, same_cluster):
        """Return a random pair of rows, or None."""
        for _ in range(1000):
            a, b = map(int, self.random.choice(len(self.y), 2, replace=False))
            alike = self.y[a] == self.y[b]
            near = self.state.labels[a] == self.state.labels[b]
            if alike == same_class and near == same_cluster:
                return [a, b]
        return None


def assign_row(oracle):
    """Assign a row of a wrong cluster to its own."""
    rows = oracle.wrong_rows()
    if not len(rows):
        return None
    row = int(oracle.random.choice(rows))
    cluster = int(oracle.right_clusters()[oracle.y[row]])
    return Assign(kind="assign", rows=[row], cluster=cluster)


def assign_group(oracle):
    """Assign most rows of a class that are elsewhere to their cluster, or a new one."""
    c = oracle.random.randint(oracle.y.max() + 1)
    target = int(oracle.right_clusters()[c])
    rows = np.flatnonzero((oracle.y == c) & (oracle.state.labels != target))
    share = 0.97 if target < 0 else oracle.random.choice([0.1, 0.5, 0.97])
    rows = rows[oracle.random.rand(len(rows)) < share]
    if len(rows) < 2:
        return None
    cluster = target if target >= 0 else None
    return Assign(kind="assign", rows=rows.tolist(), cluster=cluster)


def merge(oracle):
    """Merge two clusters of one class."""
    shares, ids = oracle.shares, oracle.state.ids
    for c in oracle.random.permutation(shares.shape[1]):
        same = ids[shares[:, c] > PURE]
        if len(same) > 1:
            chosen = oracle.random.choice(same, 2, replace=False).tolist()
            return Merge(kind="merge", clusters=chosen)
    return None


def split(oracle):
    """Split a cluster of two classes."""
    shares = np.sort(oracle.shares, axis=1)
    mixed = (shares[:, -2] >= MIXED) & (shares[:, -2:].sum(axis=1) > PURE)
    if not mixed.any():
        return None
    cluster = int(oracle.random.choice(oracle.state.ids[mixed]))
    return Split(kind="split", cluster=cluster, into=2)


def answered(oracle, rows):
    """Return the right answer about a pair."""
    if rows is None:
        return None
    if oracle.y[rows[0]] == oracle.y[rows[1]]:
        return Together(kind="together", rows=rows)
    return Apart(kind="apart", rows=rows)


def together(oracle):
    """Say that two rows of different clusters are together."""
    return answered(oracle, oracle.pair(True, False))


def apart(oracle):
    """Say that two rows of one cluster are apart."""
    return answered(oracle, oracle.pair(False, True))


def proposed(oracle):
    """Answer one of the first questions of the page."""
    questions = oracle.state.questions(oracle.engine.parts, 20)
    if not questions:
        return None
    one = questions[oracle.random.randint(len(questions))]
    return answered(oracle, [int(one.first), int(one.second)])


KINDS = {
    "one row": assign_row,
    "a group": assign_group,
    "merge": merge,
    "split": split,
    "together": together,
    "apart": apart,
    "proposed": proposed,
}
# Clusters more than classes. With more there is something to merge, with fewer to
# split, and both have larger errors than the right number.
MORE_CLUSTERS = {"merge": (2,), "split": (-2,)}
ANY_NUMBER = (0, 0, 2, -2)


def customers(n_rows, n_segments, seed):
    """Return customers of segments with skewed amounts and counts, standardised."""
    random = np.random.RandomState(seed)
    shares = random.dirichlet(np.full(n_segments, 5.0))
    y = random.choice(n_segments, n_rows, p=shares)
    means = 1.6 * random.randn(n_segments, 6)
    X = means[y] + random.uniform(0.6, 1.2, (n_segments, 6))[y] * random.randn(
        n_rows, 6
    )
    X[:, 0] = np.exp(X[:, 0] / 2)
    X[:, 1] = random.poisson(np.exp(X[:, 1] / 2 + 1))
    return StandardScaler().fit_transform(X), y


def blobs(distance, seed, n_rows=600):
    """Return blobs whose centres are so many standard deviations apart, and more."""
    random = np.random.RandomState(seed)
    y = random.randint(6, size=n_rows)
    angles = np.arange(6) * np.pi / 3
    centers = distance * np.column_stack([np.cos(angles), np.sin(angles)])
    return centers[y] + random.randn(n_rows, 2), y


DRAWN = {
    "blobs apart": lambda: blobs(9.0, 0),
    "blobs touching": lambda: blobs(3.5, 1),
    "customers": lambda: customers(MAX_ROWS, 6, 0),
    "few customers": lambda: customers(400, 4, 1),
}


def load(name):
    """Return samples and classes of a set, at most ``MAX_ROWS`` of them."""
    if name in DRAWN:
        return DRAWN[name]()
    path = Path(os.environ.get("MAXMARGIN_DATA", "")) / "embeddings" / f"{name}.npz"
    if path.exists():
        with np.load(path) as arrays:
            X, y = arrays["X"].astype(float), arrays["y"]
    else:
        task = load_task("public", name)
        X, y = task.X, task.references[0]
    rows = draw_rows(len(X), MAX_ROWS, np.random.RandomState(0))
    return X[rows], np.unique(y[rows], return_inverse=True)[1]


def start(X, n_clusters):
    """Return the engine and the state after the first fit."""
    samples = TableSamples("oracle", X, None, "row", np.arange(len(X)))
    engine = Engine(samples, Settings(clusters=max(int(n_clusters), 2)))
    return engine, engine.explore(engine.first_fit())[0]


class Outcome(NamedTuple):
    """What one correction did."""

    kind: str
    before: float
    after: float
    alone: float  # the index if only the rows that the correction names had moved
    moved: int  # rows that the correction did not name

    @property
    def gain(self):
        """The change of the adjusted Rand index."""
        return self.after - self.before


def correct(kind, oracle):
    """Make one correction; return its outcome, or None if there is none to make."""
    action = KINDS[kind](oracle)
    if action is None:
        return None
    state, y = oracle.state, oracle.y
    before = adjusted_rand_score(y, state.labels)
    try:
        after = apply(oracle.engine, state, action)
    except ValueError:  # refused: nothing moves
        return Outcome(kind, before, before, before, 0)
    found = adjusted_rand_score(y, after.labels)
    if kind in ("merge", "split"):
        return Outcome(kind, before, found, found, 0)
    alone = state.labels.copy()
    alone[action.rows] = after.labels[action.rows]
    moved = np.count_nonzero(after.labels != alone)
    return Outcome(kind, before, found, adjusted_rand_score(y, alone), moved)


def run(name, n_corrections):
    """Return the outcomes of the corrections of a set."""
    X, y = load(name)
    k, random = y.max() + 1, np.random.RandomState(0)
    starts = {more: start(X, k + more) for more in set(ANY_NUMBER)}
    kinds, outcomes = list(KINDS), []
    for number in range(20 * n_corrections):
        kind = kinds[number % len(kinds)]
        engine, state = starts[random.choice(MORE_CLUSTERS.get(kind, ANY_NUMBER))]
        outcome = correct(kind, Oracle(engine, state, y, random))
        if outcome is not None:
            outcomes.append(outcome)
        if len(outcomes) == n_corrections:
            break
    return outcomes


def print_rows(titles, groups):
    """Print a row for each group of outcomes."""
    for title, outcomes in zip(titles, groups, strict=True):
        gains = np.array([one.gain for one in outcomes])
        alone = np.array([one.alone - one.before for one in outcomes])
        moved = np.array([one.moved for one in outcomes])
        harmful = np.count_nonzero(gains < -ALLOWED_LOSS)
        print(
            f"| {title} | {len(gains)} | {np.mean([o.before for o in outcomes]):.3f} "
            f"| {gains.min():+.3f} | {alone.min():+.3f} | {gains.mean():+.4f} "
            f"| {alone.mean():+.4f} | {harmful} "
            f"| {moved.mean():.1f} | {moved.max()} |",
            flush=True,
        )


HEADER = (
    "corrections | before | worst | worst of named | mean | mean of named | harmful "
    "| moved, mean | moved, most |"
)


def main():
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=("chosen", "held-back"))
    parser.add_argument("--sets", nargs="*")
    parser.add_argument("--corrections", type=int, default=N_CORRECTIONS)
    options = parser.parse_args()
    halves = {"chosen": CHOSEN, "held-back": HELD_BACK}
    if options.sets:
        halves = {"sets": options.sets}
    for half, names in halves.items():
        if options.only not in (None, half):
            continue
        every = []
        print(f"| {half} | {HEADER}\n" + "|---" * 10 + "|")
        for name in names:
            every.append(run(name, options.corrections))
            print_rows([name], every[-1:])
        all_outcomes = [one for outcomes in every for one in outcomes]
        kinds = [k for k in KINDS if any(one.kind == k for one in all_outcomes)]
        groups = [[one for one in all_outcomes if one.kind == k] for k in kinds]
        print(f"\n| kind | {HEADER}\n" + "|---" * 10 + "|")
        print_rows([*kinds, "all"], [*groups, all_outcomes])
        print()


if __name__ == "__main__":
    main()
