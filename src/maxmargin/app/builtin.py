"""The built-in data sets of the page; nothing is downloaded."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.datasets import load_sample_image, make_moons

from maxmargin.datasets import make_evolving_gaussians
from maxmargin.datasets.examples import EXAMPLES, load_example
from maxmargin.files import atomic_write
from maxmargin.tables.write import table_writer

Columns = dict[str, np.ndarray]


def _moons() -> Columns:
    X, y = make_moons(1000, noise=0.08, random_state=0)
    return {"x": X[:, 0], "y": X[:, 1], "class": y.astype(str)}


def _drift() -> Columns:
    steps = make_evolving_gaussians(200, 8, random_state=0)
    sizes = [len(step.X) for step in steps]
    X = np.concatenate([step.X for step in steps])
    times = np.repeat(np.arange(len(steps)), sizes)
    objects = np.concatenate([[f"o{i}" for i in range(size)] for size in sizes])
    return {"time": times, "object": objects, "x": X[:, 0], "y": X[:, 1]}


TABLES: dict[str, Callable[[], Columns]] = {
    **{name: lambda name=name: load_example(name) for name in EXAMPLES},  # type: ignore[misc]
    "moons": _moons,
    "drift": _drift,
}
IMAGES = {"flower": "flower.jpg"}
TITLES = {
    "iris": "Iris: 150 flowers, 4 measurements",
    "wine": "Wine: 178 wines, 13 measurements",
    "cancer": "Breast cancer: 569 cases, 30 measurements",
    "digits": "Digits: 1,797 images of 8 x 8 pixels",
    "moons": "Two moons: 1,000 points",
    "drift": "Drift: 200 objects at 9 times",
    "flower": "A photo of a flower",
}


def write_builtin(name: str, folder: Path) -> Path:
    """Write a built-in data set to a folder and return its path."""
    if name in IMAGES:
        from PIL import Image

        path = folder / "data.png"
        pixels = np.asarray(load_sample_image(IMAGES[name]))[::2, ::2]
        with atomic_write(path) as file:
            Image.fromarray(np.ascontiguousarray(pixels)).save(file, format="PNG")
        return path
    path = folder / "data.csv"
    with atomic_write(path) as file:
        table_writer(str(path), TABLES[name]())(file)
    return path
