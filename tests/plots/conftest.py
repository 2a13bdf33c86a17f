"""Figures are drawn in memory and closed after each test."""

import matplotlib
import pytest


@pytest.fixture(autouse=True)
def figures():
    matplotlib.use("Agg")
    yield
    from matplotlib import pyplot

    pyplot.close("all")
