import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import make_blobs

from maxmargin.plots import ClusterCountDisplay
from maxmargin.selection import select_n_clusters


def test_lines_are_the_columns_of_the_table():
    X, _ = make_blobs(100, centers=3, random_state=0)
    table = select_n_clusters(X, range(1, 5), random_state=0)
    display = ClusterCountDisplay.from_table(table)
    assert display.ax_.get_xlabel() == "number of clusters"
    assert display.ax_.get_legend().get_texts()[-1].get_text() == f"best: {table.best}"
    columns = table.to_dict()
    for line in display.ax_.lines[:-1]:
        np.testing.assert_array_equal(line.get_xdata(), columns["n_clusters"])
        np.testing.assert_array_equal(line.get_ydata(), columns[line.get_label()])
    assert len(display.ax_.lines) == 6
    _, ax = plt.subplots()
    assert display.plot(ax=ax).ax_ is ax
