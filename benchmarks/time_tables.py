"""Tables for the remaining time: of different kinds, from 200 to 200,000 rows.

The costs of the steps were chosen on the first four lists, and `FRESH`, which was named
after that and before any of its tables was run, judges them. Public tables are of the
data folder, and are left out by name if it is missing.
"""

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from benchmarks.mixed.tables import public

FOLDER = Path(os.environ.get("MAXMARGIN_DATA", "../shared/data")) / "tables"


class TimedTable(NamedTuple):
    """A table, and the number of clusters that is asked for."""

    name: str
    make: Callable[[], pd.DataFrame]
    clusters: int | str = "auto"


def groups(n_rows, n_columns, n_groups, spread=2.0, heavy=False):
    """Return groups of normal rows, or of rows with heavy tails."""
    random = np.random.RandomState(0)
    centers = spread * random.standard_normal((n_groups, n_columns))
    rows = centers[random.randint(n_groups, size=n_rows)]
    noise = random.standard_t(3, rows.shape) if heavy else random.randn(*rows.shape)
    return named(rows + noise)


def uniform(n_rows, n_columns):
    """Return rows without any cluster."""
    return named(np.random.RandomState(0).rand(n_rows, n_columns))


def named(rows):
    """Return rows as a data frame."""
    return pd.DataFrame(rows, columns=[f"x{j}" for j in range(rows.shape[1])])


def categories(n_rows, n_columns, n_groups):
    """Return letters, most of which tell the group of their row."""
    random = np.random.RandomState(0)
    own = random.randint(n_groups, size=(n_rows, 1))
    usual = random.randint(8, size=(n_groups, n_columns))[own[:, 0]]
    noise = random.rand(n_rows, n_columns) < 0.25
    cells = np.where(noise, random.randint(8, size=usual.shape), usual)
    return pd.DataFrame({f"c{j}": np.array(list("abcdefgh"))[cells[:, j]]
                         for j in range(n_columns)})  # fmt: skip


def real(name):
    """Return a public table of numbers."""
    with np.load(FOLDER / f"{name}.npz", allow_pickle=False) as arrays:
        return named(np.asarray(arrays["X"], dtype=np.float64))


def mixed(name):
    """Return a public table of numbers and categories."""
    return public(name)[0]


def _normal(n_rows, n_columns, n_groups, clusters="auto"):
    name = f"{n_groups} normal groups"
    return TimedTable(name, partial(groups, n_rows, n_columns, n_groups), clusters)


def _real(name, clusters="auto"):
    return TimedTable(name, partial(real, name), clusters)


def _mixed(name):
    return TimedTable(name, partial(mixed, name))


CHOSEN = [
    _normal(500, 8, 4),
    _normal(1000, 30, 3),
    _normal(2000, 10, 5),
    _normal(2000, 10, 5, 5),
    _normal(5000, 40, 8),
    _normal(10_000, 20, 8),
    _normal(10_000, 20, 8, 8),
    _normal(40_000, 8, 4),
    _normal(40_000, 8, 4, 4),
    _normal(100_000, 8, 4, 4),
]
HELD_BACK = [
    _normal(200, 5, 3),
    _real("yeast"),
    _real("street_view_house_numbers"),
    _real("letter_recognition", 26),
    _real("fraud_detection_bank"),
    _mixed("churn"),
    _mixed("mushroom"),
    _normal(20_000, 12, 100, 100),
    TimedTable("heavy tails", partial(groups, 50_000, 15, 6, 1.0, heavy=True)),
    _normal(200_000, 10, 5, 5),
]
FURTHER = [
    _normal(300, 3, 3, 3),
    _real("wine_quality"),
    _real("epileptic_seizure_recognition"),
    _real("gas_drift", 6),
    _real("sms_spam_collection"),
]
LAST = [
    _mixed("adult"),
    TimedTable("letters", partial(categories, 30_000, 8, 6), 6),
    _normal(8000, 8, 60),
    TimedTable("uniform", partial(uniform, 30_000, 6)),
    _normal(200_000, 4, 4),
    _real("mfeat_factors", 10),
    _real("date_fruit"),
    _real("rice_seed_gonen_jasmine"),
    _mixed("votes"),
    _real("seismic_bumps"),
]
FRESH = [
    _real("coil20"),
    _real("mfeat_fourier"),
    _real("pistachio"),
    _real("mnist64", 10),
    _real("japanesevowels"),
    _real("cardiovascular_study"),
    _real("boston"),
    _real("paris_housing_classification"),
    _normal(15_000, 6, 12),
    _normal(150_000, 6, 3, 3),
]
LISTS = {
    "chosen": CHOSEN,
    "held_back": HELD_BACK,
    "further": FURTHER,
    "last": LAST,
    "fresh": FRESH,
}
