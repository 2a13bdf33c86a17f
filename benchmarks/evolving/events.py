"""A generated stream with known births, deaths, splits and mergers."""

import numpy as np
from sklearn.metrics import adjusted_rand_score

from benchmarks.evolving.methods import STRATEGIES, make
from maxmargin import MaxMarginClustering
from maxmargin.datasets import TimedSamples

KINDS = ("born", "died", "split", "merged")
SIZE, STEPS, DRAWS = 60, 12, 10


class Stream:
    """Clusters in the plane that drift; a tenth of the objects is replaced each time.

    At every second time one thing happens, drawn at random.
    """

    def __init__(self, seed):
        self.random = np.random.RandomState(seed)
        self.places, self.members, self.offsets = {}, {}, {}
        self.n_names = self.n_objects = 0
        for _ in range(4):
            self.bear(self.new_objects(SIZE))

    def new_objects(self, number):
        """Return the ids of new objects."""
        self.n_objects += number
        return list(range(self.n_objects - number, self.n_objects))

    def bear(self, objects):
        """Add a cluster at least ten units from the others."""
        place = self.random.uniform(-30, 30, 2)
        while any(np.hypot(*(place - one)) < 10 for one in self.places.values()):
            place = self.random.uniform(-30, 30, 2)
        self.places[self.n_names], self.members[self.n_names] = place, objects
        self.n_names += 1

    def happen(self):
        """Let one thing happen, and return its kind."""
        names = list(self.places)
        kind = "born" if len(names) < 3 else self.random.choice(KINDS)
        if kind == "born":
            self.bear(self.new_objects(SIZE))
        elif kind == "died":
            self.remove(self.random.choice(names))
        elif kind == "split":
            largest = max(names, key=lambda one: len(self.members[one]))
            objects = self.members[largest]
            self.random.shuffle(objects)
            half = len(objects) // 2
            self.members[largest] = objects[half:]
            self.bear(objects[:half])
        else:
            one, other = self.random.choice(names, 2, replace=False)
            self.members[one] = self.members[one] + self.remove(other)
        return str(kind)

    def remove(self, name):
        """Remove a cluster and return its objects."""
        del self.places[name]
        return self.members.pop(name)

    def snapshot(self, time):
        """Move the clusters, replace some objects, and return the rows."""
        ids, X, y = [], [], []
        for name, objects in self.members.items():
            self.places[name] = self.places[name] + 0.3 * self.random.randn(2)
            if time:
                number = max(1, len(objects) // 10)
                self.random.shuffle(objects)
                objects[:number] = self.new_objects(number)
            for one in objects:
                offset = self.offsets.setdefault(one, self.random.randn(2))
                ids.append(one)
                X.append(self.places[name] + offset + 0.2 * self.random.randn(2))
                y.append(name)
        return TimedSamples(time, np.array(ids), np.array(X), np.array(y))


def draw_stream(seed):
    """Yield snapshots and what happened before each, a kind or None."""
    stream = Stream(seed)
    for time in range(STEPS):
        kind = stream.happen() if time and time % 2 == 0 else None
        yield stream.snapshot(time), kind


def print_events():
    """Print the share of events that are found, and that are false."""
    print(f"\nEvents of {DRAWS} generated streams, n_clusters='auto'")
    for name in STRATEGIES:
        right = wanted = reported = 0
        agreement, afresh = [], []
        for seed in range(DRAWS):
            model = make(name, "auto", seed, loss="squared")
            for step, kind in draw_stream(seed):
                model.partial_fit(step.X, ids=step.ids, time=step.time)
                events = model.history_[-1].events
                found = [one.kind for one in events if one.kind in (*KINDS, "returned")]
                wanted += kind is not None
                right += kind in found
                reported += len(found)
                agreement.append(adjusted_rand_score(step.y, model.labels_))
                alone = MaxMarginClustering("auto", random_state=seed).fit(step.X)
                afresh.append(adjusted_rand_score(step.y, alone.labels_))
        print(
            f"{name:4s} found {right / wanted:.1%} of {wanted}, false "
            f"{(reported - right) / max(reported, 1):.1%}; adjusted Rand index "
            f"{np.mean(agreement):.3f}, afresh {np.mean(afresh):.3f}",
            flush=True,
        )
