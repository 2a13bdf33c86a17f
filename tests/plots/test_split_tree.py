import numpy as np
import pytest
from matplotlib import pyplot as plt
from sklearn.exceptions import NotFittedError

from maxmargin.plots import SplitTreeDisplay
from maxmargin.published import RecursiveBisection


def test_the_tree_has_a_box_for_each_node():
    X = np.concatenate([np.linspace(0, 1, 20) + shift for shift in (0, 4, 20)])
    bisection = RecursiveBisection(n_clusters=3, random_state=0)
    with pytest.raises(NotFittedError):
        SplitTreeDisplay.from_estimator(bisection)
    bisection.fit(X[:, None])
    _, ax = plt.subplots()
    display = SplitTreeDisplay.from_estimator(bisection, ax=ax)
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    texts = [text.get_text() for text in ax.texts]
    assert len(texts) == 5
    assert sum(text.startswith("cluster ") for text in texts) == 3
    assert sum("margin " in text for text in texts) == 2
    leaves = [
        text.get_position()[0] for text in ax.texts if "cluster" in text.get_text()
    ]
    assert leaves == [0.0, 1.0, 2.0]
    assert display.plot().ax_ is not ax
