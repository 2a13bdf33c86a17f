"""Draw two levels of the tree of clusters of banking77 for the guide.

``python docs/layers_picture.py`` writes ``docs/images/banking77_layers.png``. It needs
the texts and their embeddings in the folder that ``MAXMARGIN_DATA`` names.
"""

import os
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from maxmargin import MaxMarginClustering
from maxmargin.plots.style import COLORS
from maxmargin.texts import find_keywords

IMAGE = Path(__file__).parent / "images" / "banking77_layers.png"
DATA = Path(os.environ["MAXMARGIN_DATA"]) / "embeddings"
N_WORDS = 4  # that name a cluster
GAP = 0.12  # between two topics, in units of an intent


def main() -> None:
    """Cluster the texts and draw their topics beside the intents within them."""
    X = np.load(DATA / "banking77.npz")["X"]
    texts = (DATA / "banking77.txt").read_text(encoding="utf-8").splitlines()
    clusters = MaxMarginClustering(random_state=0).fit(X)
    others = [one for one in clusters.alternatives_ if one.score is not None]
    n_topics = min(one.n_clusters for one in others)
    topics, intents = clusters.labels_at(n_topics), clusters.labels_
    print(n_topics, "topics,", clusters.n_clusters_, "intents")
    draw(topics, intents, find_words(texts, topics), find_words(texts, intents))
    plt.savefig(IMAGE, dpi=110)


def find_words(texts, labels) -> dict[int, str]:
    """Return the words that tell each cluster from the others."""
    found = find_keywords(texts, labels, n_words=N_WORDS)
    return {label: ", ".join(words) for label, words in found.items()}


def draw(topics, intents, topic_words, intent_words) -> None:
    """Draw a box for each topic, and one line for each intent beside its topic."""
    _, ax = plt.subplots(figsize=(8, 11), layout="constrained")
    y = 0.0
    for place, topic in enumerate(np.argsort(-np.bincount(topics))):
        own, sizes = np.unique(intents[topics == topic], return_counts=True)
        color = COLORS[place % len(COLORS)]
        ax.barh(y + len(own) / 2, 1.0, len(own) - GAP, color=color, alpha=0.3)
        ax.text(
            0.03,
            y + len(own) / 2,
            topic_words[topic],
            va="center",
            weight="bold",
            size=8,
        )
        for intent, size in sorted(zip(own, sizes, strict=True), key=lambda p: -p[1]):
            ax.barh(y + 0.5, size / 300, 0.8, left=1.05, color=color)
            ax.text(
                1.08 + size / 300, y + 0.5, intent_words[intent], va="center", size=8
            )
            y += 1.0
    ax.set(ylim=(y, 0), xlim=(0, 2.9))
    ax.axis("off")
    ax.set_title("Topics, and the intents within them", loc="left")


if __name__ == "__main__":
    main()
