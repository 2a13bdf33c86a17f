"""Few labels: accuracy on the samples without label, beside other methods.

`make bench-semi` prints the table of `docs/measured/semi_supervised.md`.
"""

import argparse
import warnings

import numpy as np
import scipy.sparse as sp
from sklearn.semi_supervised import LabelSpreading, SelfTrainingClassifier
from sklearn.svm import SVC

from maxmargin import SemiSupervisedMaxMargin
from maxmargin.datasets import load_dataset
from maxmargin.rows.counts import hellinger

SETS = (
    "digits",
    "usps",
    "coil20",
    "letter A-D",
    "satellite",
    "newsgroups_basehock",
    "newsgroups_pcmac",
)
LABELS = (1, 2, 5, 10)


def alone(X, few):
    """Return what a support vector machine says that sees the labels alone."""
    given = few >= 0
    return SVC().fit(X[given], few[given]).predict(X)


def self_training(X, few):
    """Return the labels of a support vector machine that labels more and more."""
    machine = SVC(probability=True, random_state=0)
    return SelfTrainingClassifier(machine).fit(X, few).predict(X)


METHODS = {
    "maximum margin": lambda X, few: (
        SemiSupervisedMaxMargin(random_state=0).fit(X, few).transduction_
    ),
    "LabelSpreading": lambda X, few: LabelSpreading().fit(X, few).transduction_,
    "LabelSpreading, knn": lambda X, few: (
        LabelSpreading(kernel="knn").fit(X, few).transduction_
    ),
    "SelfTraining(SVC)": self_training,
    "SVC": alone,
}


def draw(y, n_labels, random):
    """Return the labels with all but some of each class taken away."""
    few = np.full(len(y), -1)
    for c in np.unique(y):
        rows = random.choice(np.flatnonzero(y == c), n_labels, replace=False)
        few[rows] = c
    return few


def compare(X, y, n_labels, n_draws):
    """Return the mean accuracy of each method on the samples without label."""
    scores = np.zeros((n_draws, len(METHODS)))
    for number in range(n_draws):
        few = draw(y, n_labels, np.random.RandomState(number))
        hidden = few < 0
        for column, method in enumerate(METHODS.values()):
            found = method(X, few)
            scores[number, column] = np.mean(found[hidden] == y[hidden])
    return scores.mean(axis=0)


def inputs(name, n_rows):
    """Return the ways in which a set is given to the methods."""
    data = load_dataset(name).prepared(n_rows)
    if data.kind != "counts":
        return {name: data}
    counts = sp.csr_array(data.X)
    return {
        name: data._replace(X=counts),
        f"{name}, as proportions": data._replace(X=sp.csr_array(hellinger(counts))),
    }


def main():
    """Print the table, a set at a time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--rows", type=int, default=2000)
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # the other methods stop early or know no label
    print(f"| set | labels a class | {' | '.join(METHODS)} |")
    print("|---|---|" + "---|" * len(METHODS))
    for name in options.sets:
        for title, data in inputs(name, options.rows).items():
            for n_labels in LABELS:
                means = compare(data.X, data.y, n_labels, options.draws)
                cells = [
                    f"**{mean:.3f}**" if mean == means.max() else f"{mean:.3f}"
                    for mean in means
                ]
                print(f"| {title} | {n_labels} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
