"""Predict 10,000 digits after a fit on the other 60,000; print the figures."""

import json
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.scale.measure import timed
from benchmarks.scale.methods import load
from maxmargin import MaxMarginClustering, load_model, save_model
from maxmargin.metrics import clustering_error

if __name__ == "__main__":
    X, _ = load("mnist", 0, 0)
    rows = np.random.RandomState(0).permutation(len(X))
    new, old = rows[:10_000], rows[10_000:]
    together = MaxMarginClustering(10, random_state=0).fit(X).labels_[new]
    fitted = MaxMarginClustering(10, random_state=0).fit(X[old])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "digits.npz"
        save_model(path, fitted)
        size = path.stat().st_size
        model = load_model(path)  # its index is built by the first call
    labels, figures = timed(lambda: model.predict(X[new]))
    np.testing.assert_array_equal(labels, fitted.predict(X[new]))
    print(
        json.dumps(
            figures
            | {
                "agreement": 1.0 - clustering_error(together, labels),
                "bytes": size,
                "kept": fitted._model.feature_map.index.n_samples,
            }
        )
    )
