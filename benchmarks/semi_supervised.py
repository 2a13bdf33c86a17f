"""Few labels and pairs: accuracy beside other methods, what pairs and answers teach.

`make bench-semi` prints the tables of `docs/measured/semi_supervised.md`.
"""

import argparse
import os
import time
import warnings
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.semi_supervised import LabelSpreading
from sklearn.svm import SVC

from benchmarks.accuracy.small import draw_rows
from benchmarks.data.suite import load_dataset
from maxmargin import MaxMarginClustering, SemiSupervisedMaxMargin, propose_pairs
from maxmargin.rows.preparation import hellinger

# Settings were chosen on the first sets; the others were held back until the end.
SETS = (
    "digits",
    "usps",
    "coil20",
    "letter",
    "satellite",
    "vowel",
    "newsgroups_pcmac",
    "wine",
    "image_segmentation",
    "ionosphere",
)
HELD_BACK = ("mnist", "pendigits", "newsgroups_basehock", "breast_cancer_wisconsin")
PAIR_SETS = ("digits", "wine", "satellite", "letter A-D", "image_segmentation")
HELD_BACK_PAIRS = ("pendigits", "breast_cancer_wisconsin")
# Every fourth table, tenth shape and fifth public set by name: held back.
ANSWER_SETS = {
    "tables": (
        *("boston", "classification_in_asteroseismology", "echocardiogram"),
        *("gas_drift", "image_segmentation", "mfeat_fourier"),
        *("paris_housing_classification", "rice_dataset_cammeo_and_osmancik"),
        *("sms_spam_collection", "wine"),
    ),
    "shapes": (
        *("graves_dense", "other_chameleon_t7_10k", "sipu_r15", "wut_mk2", "wut_x3"),
    ),
    "public": ("coil20", "letter", "newsgroups_pcmac", "satellite 1-2", "usps 5-8"),
}
ANSWERS = (0, 3, 5, 10, 20)
LABELS = (1, 2, 5, 10)
PAIRS = (10, 50, 200, 1000)
PROPOSED, AT_ONCE, N_LOOPS = 50, (1, 5), 2


def fitted(model):
    """Return a method that fits a model to the labelled samples alone."""

    def method(X, few, _):
        given = few >= 0
        return model.fit(X[given], few[given]).predict(X)

    return method


def nearest_in(_, few, embedding):
    """Return the label of the nearest labelled sample in the embedding."""
    given = few >= 0
    nearest = KNeighborsClassifier(1).fit(embedding[given], few[given])
    return nearest.predict(embedding)


METHODS = {
    "maximum margin": lambda X, few, _: (
        SemiSupervisedMaxMargin(random_state=0).fit(X, few).transduction_
    ),
    "LabelSpreading": lambda X, few, _: LabelSpreading().fit(X, few).transduction_,
    "LabelSpreading, knn": lambda X, few, _: (
        LabelSpreading(kernel="knn").fit(X, few).transduction_
    ),
    "logistic regression": fitted(LogisticRegression(max_iter=1000)),
    "UMAP + nearest neighbour": nearest_in,
    "SVC": fitted(SVC()),
}


def load(name, n_rows):
    """Return samples and classes; counts as square roots of proportions."""
    data = load_dataset(name).prepared(n_rows)
    if data.kind == "counts":
        return hellinger(sp.csr_array(data.X)).toarray(), data.y
    return data.X, data.y


def embed(X):
    """Return the two-dimensional embedding of UMAP."""
    from umap import UMAP

    return UMAP(random_state=0).fit_transform(X)


def draw(y, n_labels, random):
    """Return the labels with all but some of each class taken away."""
    few = np.full(len(y), -1)
    for c in np.unique(y):
        rows = random.choice(np.flatnonzero(y == c), n_labels, replace=False)
        few[rows] = c
    return few


def compare(X, y, embedding, n_labels, n_draws):
    """Return the mean accuracy, without given labels, and CPU seconds of methods."""
    scores = np.zeros((2, n_draws, len(METHODS)))
    for number in range(n_draws):
        few = draw(y, n_labels, np.random.RandomState(number))
        hidden = few < 0
        for column, method in enumerate(METHODS.values()):
            start = time.process_time()
            found = method(X, few, embedding)
            scores[1, number, column] = time.process_time() - start
            scores[0, number, column] = np.mean(found[hidden] == y[hidden])
    return scores.mean(axis=1)


def print_row(title, number, means):
    """Print a row of the table, the largest value in bold."""
    cells = [f"**{m:.3f}**" if m == means.max() else f"{m:.3f}" for m in means]
    print(f"| {title} | {number} | {' | '.join(cells)} |", flush=True)


def compare_labels(names, n_rows, n_draws):
    """Print the accuracy with few labels, a set at a time, and the means."""
    print(f"| set | labels a class | {' | '.join(METHODS)} |")
    print("|---|---|" + "---|" * len(METHODS))
    every = []
    for name in names:
        X, y = load(name, n_rows)
        embedding = embed(X)
        rows = [compare(X, y, embedding, number, n_draws) for number in LABELS]
        for number, (accuracy, _) in zip(LABELS, rows, strict=True):
            print_row(name, number, accuracy)
        every.append(rows)
    means = np.array(every).mean(axis=0)
    for number, (accuracy, _) in zip(LABELS, means, strict=True):
        print_row("mean", number, accuracy)
    seconds = means[:, 1].mean(axis=0)
    print(f"\nCPU seconds relative to LabelSpreading: {seconds[0] / seconds[1]:.1f}\n")


def draw_pairs(y, n_pairs, random):
    """Return random pairs of different samples."""
    pairs = random.randint(len(y), size=(2 * n_pairs + 10, 2))
    return pairs[pairs[:, 0] != pairs[:, 1]][:n_pairs]


def teach(model, X, y, pairs):
    """Fit a model to the true answers about pairs; return its agreement with y."""
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    nothing = np.full(len(y), -1)
    model.fit(X, nothing, must_link=pairs[same], cannot_link=pairs[~same])
    found = model.labels_
    assert np.array_equal(found[pairs[:, 0]] == found[pairs[:, 1]], same)
    return adjusted_rand_score(y, found)


def teach_in_a_loop(model, X, y, at_once, seed):
    """Ask for proposed pairs, some at a time; return the agreement with y."""
    pairs = np.empty((0, 2), dtype=int)
    model.fit(X, np.full(len(y), -1))
    while len(pairs) < PROPOSED:
        same = y[pairs[:, 0]] == y[pairs[:, 1]]
        known = {"must_link": pairs[same], "cannot_link": pairs[~same]}
        new = propose_pairs(model, X, at_once, random_state=seed, **known)
        pairs = np.concatenate([pairs, new])
        score = teach(model, X, y, pairs)
        if not len(new):
            break
    return score


def compare_pairs(names, n_rows, n_draws):
    """Print the agreement with the classes after pairs."""
    titles = [f"{n} random" for n in PAIRS]
    titles += [f"{PROPOSED} proposed, {n} at once" for n in AT_ONCE]
    print(f"| set | none | {' | '.join(titles)} |")
    print("|---|---|" + "---|" * len(titles))
    every = []
    for name in names:
        X, y = load(name, n_rows)
        k = len(np.unique(y))
        model = SemiSupervisedMaxMargin(k, warm_start=True, random_state=0)
        found = MaxMarginClustering(k, random_state=0).fit_predict(X)
        row = [adjusted_rand_score(y, found)]
        for number in PAIRS:
            draws = [
                draw_pairs(y, number, np.random.RandomState(s)) for s in range(n_draws)
            ]
            row.append(np.mean([teach(model, X, y, pairs) for pairs in draws]))
        for number in AT_ONCE:
            loops = [teach_in_a_loop(model, X, y, number, s) for s in range(N_LOOPS)]
            row.append(np.mean(loops))
        every.append(row)
        print(f"| {name} | {' | '.join(f'{v:.3f}' for v in row)} |", flush=True)
    means = np.mean(every, axis=0)
    print(f"| mean | {' | '.join(f'{v:.3f}' for v in means)} |\n", flush=True)


def load_any(suite, name, n_rows):
    """Return samples, as published but for the public suite, and classes."""
    if suite == "public":
        return load(name, n_rows)
    folder = Path(os.environ.get("MAXMARGIN_DATA", "")) / suite
    with np.load(folder / f"{name}.npz") as arrays:
        X, y = arrays["X"].astype(float), arrays["y0" if suite == "shapes" else "y"]
    if suite == "shapes":
        X, y = X[y > 0], y[y > 0]  # 0 is noise
    rows = draw_rows(len(X), n_rows, np.random.RandomState(0))
    X, y = X[rows], np.unique(y[rows], return_inverse=True)[1]
    return X[:, X.min(axis=0) < X.max(axis=0)], y


def answer_one_by_one(X, y, seed):
    """Return the agreement with y after each answer about a proposed pair."""
    k, nothing = len(np.unique(y)), np.full(len(y), -1)
    model = SemiSupervisedMaxMargin(k, warm_start=True, random_state=0)
    scores = [adjusted_rand_score(y, model.fit(X, nothing).labels_)]
    pairs = np.empty((0, 2), dtype=int)
    while len(scores) <= max(ANSWERS):
        same = y[pairs[:, 0]] == y[pairs[:, 1]]
        known = {"must_link": pairs[same], "cannot_link": pairs[~same]}
        new = propose_pairs(model, X, 1, random_state=seed, **known)
        pairs = np.concatenate([pairs, new])
        scores.append(teach(model, X, y, pairs) if len(new) else scores[-1])
    return np.array(scores)[list(ANSWERS)]


def compare_answers(n_rows):
    """Print the agreement with the classes after few answers."""
    print("| set | " + " | ".join(f"{n} answers" for n in ANSWERS) + " |")
    print("|---" * (len(ANSWERS) + 1) + "|")
    every = []
    for suite, names in ANSWER_SETS.items():
        for name in names:
            X, y = load_any(suite, name, n_rows)
            every.append(answer_one_by_one(X, y, 0))
            cells = " | ".join(f"{v:.3f}" for v in every[-1])
            print(f"| {name} | {cells} |", flush=True)
    means = np.mean(every, axis=0)
    print(f"| mean | {' | '.join(f'{v:.3f}' for v in means)} |\n", flush=True)


def main():
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=("labels", "pairs", "answers"))
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--rows", type=int, default=2000)
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # the other methods stop early or know no label
    if options.only in (None, "labels"):
        for names in (SETS, HELD_BACK):
            compare_labels(names, options.rows, options.draws)
    if options.only in (None, "answers"):
        compare_answers(options.rows // 2)
    if options.only in (None, "pairs"):
        for names in (PAIR_SETS, HELD_BACK_PAIRS):
            compare_pairs(names, options.rows // 2, options.draws)


if __name__ == "__main__":
    main()
