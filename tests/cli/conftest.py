"""The table that the tests of the command share."""

import numpy as np
import pytest
from sklearn.datasets import load_iris


@pytest.fixture(scope="session")
def iris(tmp_path_factory):
    frame = load_iris(as_frame=True).frame
    frame.columns = ["sl", "sw", "pl", "pw", "species"]
    frame["species"] = np.array(["setosa", "versicolor", "virginica"])[frame["species"]]
    frame.insert(0, "plant", [f"p{i}" for i in range(150)])
    path = tmp_path_factory.mktemp("data") / "iris.csv"
    frame.to_csv(path, index=False)
    return path
