"""Keep a fitted model in a file of arrays and JSON, which runs no code when read."""

import io
import json
import os
from dataclasses import dataclass, field
from typing import IO, Any

import numpy as np
import scipy.sparse as sp
from sklearn.neighbors import NearestNeighbors

from maxmargin.clustering.model import MarginModel
from maxmargin.kernels.basis import KernelBasis, LinearBasis
from maxmargin.kernels.counts import hellinger
from maxmargin.kernels.feature_map import FeatureMap, KernelColumns
from maxmargin.kernels.graph_inverse import NeighborShares
from maxmargin.kernels.graph_smoother import NeighborFeatures
from maxmargin.kernels.kernel import Kernel
from maxmargin.kernels.threads import single_threaded_libraries

FORMAT, VERSION = "maxmargin model", 1

Arrays = dict[str, Any]


@dataclass(frozen=True)
class SavedModel:
    """Decision functions for samples in the form in which the estimator took them.

    Attributes
    ----------
    model : MarginModel
    counts : bool
        Whether samples are counts, compared as proportions.
    about : dict
        Whatever else JSON can hold: parameters, names, how columns were treated.
    """

    model: MarginModel
    counts: bool = False
    about: dict[str, Any] = field(default_factory=dict)

    def decision_function(self, X):
        """Return the decision values of samples (n x k)."""
        X = hellinger(X) if self.counts else X
        with single_threaded_libraries() as n_threads:
            return self.model.decide(X, n_threads)

    def predict(self, X):
        """Return the number of the largest decision value, or the sign of a single one.

        The same as ``labels_`` of a clusterer, or a position in ``classes_``.
        """
        X = hellinger(X) if self.counts else X
        with single_threaded_libraries() as n_threads:
            if len(self.model.offsets) == 1 and self.about.get("signed"):
                return (self.model.decide(X, n_threads)[:, 0] > 0).astype(np.int64)
            return self.model.label(X, n_threads)


def save_model(
    file: str | os.PathLike | IO[bytes], estimator, about: dict[str, Any] | None = None
) -> None:
    """Write what ``predict`` of an estimator needs.

    Parameters
    ----------
    file : str, path or binary file
    estimator : object
        A fitted clusterer or classifier of this package.
    about : dict, default=None
        What else to keep, as JSON.

    Examples
    --------
    >>> import io
    >>> import numpy as np
    >>> from maxmargin import MaxMarginClustering
    >>> from maxmargin.clustering.model_file import load_model, save_model
    >>> X = np.random.RandomState(0).randn(60, 2)
    >>> clusters = MaxMarginClustering(3, random_state=0).fit(X)
    >>> file = io.BytesIO()
    >>> save_model(file, clusters)
    >>> bool((load_model(file).predict(X) == clusters.labels_).all())
    True
    """
    model = getattr(estimator, "_model", None)
    if not isinstance(model, MarginModel):
        raise ValueError(
            f"{type(estimator).__name__} has no fitted functions to save: fit it first."
        )
    arrays: Arrays = {"coefficients": model.coefficients, "offsets": model.offsets}
    header = {
        "format": FORMAT,
        "version": VERSION,
        "features": pack_map(model.feature_map, arrays),
        "counts": bool(getattr(estimator, "_counts", False)),
        "about": about or {},
    }
    arrays["header"] = np.array(json.dumps(header))
    if isinstance(file, str | os.PathLike):
        with open(file, "wb") as opened:  # savez would add a suffix to a name
            np.savez(opened, **arrays)
    else:
        np.savez(file, **arrays)


def load_model(file: str | os.PathLike | io.IOBase) -> SavedModel:
    """Read what `save_model` wrote.

    Parameters
    ----------
    file : str, path or binary file

    Returns
    -------
    model : SavedModel
        With ``predict``, ``decision_function`` and what was told ``about`` the model.

    Examples
    --------
    >>> import io
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import MaxMarginClustering, load_model, save_model
    >>> X = load_iris().data
    >>> clusters = MaxMarginClustering(3, random_state=0).fit(X)
    >>> file = io.BytesIO()
    >>> save_model(file, clusters)
    >>> bool((load_model(file).predict(X) == clusters.labels_).all())
    True
    """
    if isinstance(file, io.IOBase):
        file.seek(0)
    problem = ValueError("This is no model file: write one with save_model or --model.")
    try:
        with np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        header = json.loads(str(arrays["header"]))
    except (OSError, MemoryError):
        raise
    except Exception:
        raise problem from None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise problem
    if header["version"] > VERSION:
        raise ValueError("The model file is of a newer version: upgrade maxmargin.")
    model = MarginModel(
        unpack_map(header["features"], arrays),
        arrays["coefficients"],
        arrays["offsets"],
    )
    return SavedModel(model, header["counts"], header["about"])


def pack_map(
    feature_map: FeatureMap, arrays: Arrays, prefix: str = ""
) -> dict[str, Any]:
    """Put the arrays of a feature map aside and return the rest of it, as JSON can.

    ``prefix`` is put before the names of the arrays.
    """
    if isinstance(feature_map, LinearBasis):
        return {"kind": "linear"}
    if isinstance(feature_map, KernelColumns):
        put_rows(arrays, f"{prefix}basis", feature_map.basis)
        return {"kind": "columns", "kernel": _pack_kernel(feature_map.kernel)}
    if isinstance(feature_map, KernelBasis):
        put_rows(arrays, f"{prefix}basis", feature_map.samples)
        arrays[f"{prefix}projection"] = feature_map.projection
        return {"kind": "basis", "kernel": _pack_kernel(feature_map.kernel)}
    if isinstance(feature_map, NeighborFeatures):
        put_rows(arrays, f"{prefix}samples", feature_map.index._fit_X)
        arrays[f"{prefix}features"] = feature_map.features
        return {"kind": "neighbors", "length": float(feature_map.length)}
    if isinstance(feature_map, NeighborShares):
        put_rows(arrays, f"{prefix}samples", feature_map.index._fit_X)
        return {"kind": "shares"}
    raise ValueError(
        f"Features of the kind {type(feature_map).__name__} cannot be saved: use "
        "MaxMarginClustering or another estimator with a kernel."
    )


def unpack_map(header: dict[str, Any], arrays: Arrays, prefix: str = "") -> FeatureMap:
    """Return the feature map that `pack_map` put aside."""
    kind = header["kind"]
    if kind == "linear":
        return LinearBasis()
    if kind in ("columns", "basis"):
        kernel, basis = Kernel(**header["kernel"]), take_rows(arrays, f"{prefix}basis")
        if kind == "columns":
            return KernelColumns(kernel, basis)
        return KernelBasis(kernel, basis, arrays[f"{prefix}projection"])
    index = NearestNeighbors().fit(take_rows(arrays, f"{prefix}samples"))
    if kind == "shares":
        return NeighborShares(index)
    return NeighborFeatures(index, arrays[f"{prefix}features"], header["length"])


def _pack_kernel(kernel: Kernel) -> dict[str, Any]:
    if callable(kernel.name):
        raise ValueError(
            "A kernel that is a Python function cannot be saved: use a named kernel."
        )
    parameters = {
        name: value.item() if isinstance(value, np.generic) else value
        for name, value in kernel.parameters.items()
    }
    return {"name": kernel.name, "parameters": parameters}


def put_rows(arrays: Arrays, name: str, rows: Any) -> None:
    """Keep rows, dense or sparse."""
    if sp.issparse(rows):
        rows = sp.csr_array(rows)
        for part in ("data", "indices", "indptr"):
            arrays[f"{name}.{part}"] = getattr(rows, part)
        arrays[f"{name}.shape"] = np.array(rows.shape)
    else:
        arrays[name] = np.asarray(rows)


def take_rows(arrays: Arrays, name: str) -> Any:
    """Return rows that `put_rows` kept."""
    if name in arrays:
        return arrays[name]
    parts = tuple(arrays[f"{name}.{part}"] for part in ("data", "indices", "indptr"))
    return sp.csr_array(parts, shape=tuple(arrays[f"{name}.shape"]))
