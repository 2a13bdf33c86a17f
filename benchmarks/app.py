"""The page of ``maxmargin app``: what answers are worth, and how long they take.

An oracle knows the classes. It answers the queue of doubtful pairs, and for comparison
as many random pairs. Printed are the adjusted Rand index after 10, 20 and 50 answers,
and the CPU seconds of a correction of the digits as a share of those of the first fit.
"""

import time
from typing import NamedTuple

import numpy as np
from sklearn.metrics import adjusted_rand_score

from benchmarks.data.suite import load_dataset
from maxmargin.app.corrections import apply
from maxmargin.app.engine import Engine
from maxmargin.app.schemas import Apart, Settings, Together
from maxmargin.tables.samples import TableSamples

# Settings were chosen on the first sets.
DATASETS = ("iris", "wine", "wdbc", "digits", "letter A-D", "image_segmentation")
FURTHER = ("usps 1-4", "breast_cancer_wisconsin")
N_ANSWERS = (10, 20, 50)
N_SEQUENCES = 3  # of answers, of which the mean is printed
MAX_ROWS = 2000


class Question(NamedTuple):
    """A pair of rows."""

    first: int
    second: int


def load(name, seed=0):
    """Return the engine of a data set, and its classes."""
    data = load_dataset(name).prepared(MAX_ROWS)
    samples = TableSamples(name, data.X, None, "row", np.arange(len(data.X)))
    settings = Settings(clusters=len(np.unique(data.y)), seed=seed)
    return Engine(samples, settings), data.y


def answer(engine, state, question, y):
    """Return the state after the right answer to a question."""
    rows = [int(question.first), int(question.second)]
    if y[rows[0]] == y[rows[1]]:
        return apply(engine, state, Together(kind="together", rows=rows))
    return apply(engine, state, Apart(kind="apart", rows=rows))


def ask(name, seed, random=None):
    """Return the adjusted Rand index after each answer, to random pairs if given."""
    engine, y = load(name, seed)
    state, _ = engine.explore(engine.first_fit())
    scores = [adjusted_rand_score(y, state.labels)]
    refused: set[tuple[int, int]] = set()
    for _ in range(max(N_ANSWERS)):
        if random is None:
            found = [
                pair
                for pair in state.questions(engine.parts, 20)
                if (pair.first, pair.second) not in refused
            ]
            question = found[0] if found else None
        else:
            question = Question(*random.choice(len(y), 2, replace=False))
        if question is not None:
            try:
                state = answer(engine, state, question, y)
            except ValueError:  # the clusters cannot meet all answers
                refused.add((question.first, question.second))
        scores.append(adjusted_rand_score(y, state.labels))
    return np.array(scores)


def measure_time():
    """Return the CPU seconds of the first fit of the digits, and of corrections."""
    engine, y = load("digits")
    engine.explore(engine.first_fit())  # load the compiled loops
    engine, y = load("digits")
    start = time.process_time()
    state = engine.first_fit()
    fitted = time.process_time() - start
    state, _ = engine.explore(state)
    first = time.process_time() - start
    engine.prepare()
    seconds = []
    for _ in range(10):
        question = state.questions(engine.parts, 1)[0]
        start = time.process_time()
        state = answer(engine, state, question, y)
        seconds.append(time.process_time() - start)
    return fitted, first, float(np.median(seconds))


def main():
    """Print the tables."""
    print("| data set | answers | " + " | ".join(["0", *map(str, N_ANSWERS)]) + " |")
    print("|---" * (3 + len(N_ANSWERS)) + "|")
    for name in (*DATASETS, *FURTHER):
        seeds = range(N_SEQUENCES)
        rows = {
            "doubtful pairs": [ask(name, seed) for seed in seeds],
            "random pairs": [ask(name, s, np.random.RandomState(s)) for s in seeds],
        }
        for kind, sequences in rows.items():
            scores = np.mean(sequences, axis=0)
            cells = " | ".join(f"{scores[n]:.3f}" for n in (0, *N_ANSWERS))
            print(f"| {name} | {kind} | {cells} |", flush=True)
    fitted, first, later = measure_time()
    print(
        f"\nCPU seconds on the digits: clusters {fitted:.3f}, with the map {first:.3f}"
    )
    print(f"a correction {later:.3f}: {later / fitted:.2f} and {later / first:.2f}")


if __name__ == "__main__":
    main()
