"""Save fitted estimators to files of arrays and JSON, which run no code when loaded.

A file is an ``.npz`` archive. Its entry ``header`` is a JSON text that describes the
estimator, its parameters and fitted attributes; arrays are entries of their own. Only
the classes listed here are created when a file is loaded.
"""

import io
import json
import os
from importlib import import_module
from typing import IO, Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

import maxmargin
from maxmargin import published
from maxmargin.files import atomic_write
from maxmargin.smoothers.neighbor_index import NeighborIndex

FORMAT, VERSION = "maxmargin model", 6

# The records that fitted estimators consist of, and their modules.
RECORDS = {
    "AffinityFeatures": "maxmargin.smoothers.affinity_graph",
    "Block": "maxmargin.tables.basis",
    "Borders": "maxmargin.segmentation.regions",
    "Cells": "maxmargin.segmentation.cells",
    "ClusterCountTable": "maxmargin.selection.cluster_count",
    "ClusterTree": "maxmargin.selection.cluster_tree",
    "Column": "maxmargin.tables.encoder",
    "CountScore": "maxmargin.selection.cluster_count",
    "Donors": "maxmargin.tables.donors",
    "ExpectedColumns": "maxmargin.tables.features",
    "Expectations": "maxmargin.tables.expectations",
    "Kernel": "maxmargin.smoothers.kernel",
    "KernelBasis": "maxmargin.smoothers.feature_map",
    "KernelColumns": "maxmargin.smoothers.feature_map",
    "LinearBasis": "maxmargin.smoothers.feature_map",
    "MarginModel": "maxmargin.engine.model",
    "Memory": "maxmargin.evolving.memory",
    "MembershipProbability": "maxmargin.engine.probability",
    "NeighborFeatures": "maxmargin.smoothers.spectral_smoother",
    "NeighborWeights": "maxmargin.smoothers.scaled_graph",
    "Event": "maxmargin.evolving.names",
    "KnownCluster": "maxmargin.evolving.names",
    "Outcome": "maxmargin.evolving.step",
    "PlainNumbers": "maxmargin.tables.features",
    "Preparation": "maxmargin.rows.preparation",
    "PreparedFeatures": "maxmargin.smoothers.feature_map",
    "Preprocessor": "maxmargin.tables.preprocessing",
    "Reservoir": "maxmargin.rows.blocks",
    "ShiftedFeatures": "maxmargin.smoothers.feature_map",
    "Snapshot": "maxmargin.evolving.snapshots",
    "SnapshotRecord": "maxmargin.evolving.snapshots",
    "SourceFeatures": "maxmargin.smoothers.source_smoother",
    "Sources": "maxmargin.rows.sources",
    "SourcesPreparation": "maxmargin.rows.sources",
    "SplitNode": "maxmargin.published.split_tree",
    "TableEncoder": "maxmargin.tables.encoder",
    "TextColumns": "maxmargin.tables.features",
    "TextEncoder": "maxmargin.texts.encoder",
    "Words": "maxmargin.texts.words",
}
ESTIMATORS = {
    **{name: module for name, module in maxmargin.PUBLIC.items() if name[0].isupper()},
    **published.PUBLIC,
    "DaskMaxMarginClustering": "maxmargin.distributed.dask_clustering",
}

Arrays = dict[str, Any]


class ModelFile(NamedTuple):
    """The content of a model file."""

    estimator: Any
    about: dict[str, Any]  # as given to `save_model`


def save_model(
    file: str | os.PathLike | IO[bytes],
    estimator: Any,
    about: dict[str, Any] | None = None,
) -> None:
    """Save a fitted estimator to a file.

    A path is written atomically: after a crash the old file is still there.

    Parameters
    ----------
    file : str, path or binary file
    estimator : object
        A fitted estimator of this package, with its parameters and attributes; lazy
        ``labels_`` of Dask are left out.
    about : dict, default=None
        Further information: numbers, texts, arrays, and lists and dicts of them.

    Examples
    --------
    >>> import io
    >>> import numpy as np
    >>> from maxmargin import MaxMarginClustering, load_model, save_model
    >>> X = np.random.RandomState(0).randn(60, 2)
    >>> clusters = MaxMarginClustering(3, random_state=0).fit(X)
    >>> file = io.BytesIO()
    >>> save_model(file, clusters)
    >>> bool((load_model(file).predict(X) == clusters.labels_).all())
    True
    """
    if type(estimator).__name__ not in ESTIMATORS:
        raise ValueError(
            f"{type(estimator).__name__} cannot be saved: give an estimator of "
            "maxmargin."
        )
    try:
        check_is_fitted(estimator)
    except NotFittedError as error:
        raise ValueError(
            f"This {type(estimator).__name__} is not fitted: fit it first."
        ) from error
    if hasattr(estimator, "_ensure_fitted"):
        estimator._ensure_fitted()  # blocks that were added by partial_fit
    encoder = _Encoder()
    header = {
        "format": FORMAT,
        "version": VERSION,
        "estimator": encoder.encode(estimator),
        "about": encoder.encode(about or {}),
    }
    encoder.arrays["header"] = np.array(json.dumps(header))
    if isinstance(file, str | os.PathLike):
        with atomic_write(file) as opened:
            np.savez(opened, **encoder.arrays)
    else:
        np.savez(file, **encoder.arrays)


def load_model(file: str | os.PathLike | IO[bytes]) -> Any:
    """Load a fitted estimator from a file of `save_model`.

    Parameters
    ----------
    file : str, path or binary file

    Returns
    -------
    estimator : object
        Equal to the one that was saved: ``predict``, further ``partial_fit``, names of
        features and classes included.

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
    return read_model_file(file).estimator


def read_model_file(file: str | os.PathLike | IO[bytes]) -> ModelFile:
    """Load a fitted estimator and the information that was saved with it."""
    with _open_archive(file) as archive:
        header = _read_header(archive)
        try:
            entries = _Entries(archive)
            estimator = _decode(header["estimator"], entries)
            return ModelFile(estimator, _decode(header["about"], entries))
        except MemoryError:
            raise
        except Exception as error:
            raise ValueError(
                "The model file is damaged: write it again with save_model or --model."
            ) from error


_NOT_A_MODEL = "This is not a model file: write one with save_model or --model."


def _open_archive(file: str | os.PathLike | IO[bytes]) -> Any:
    if isinstance(file, io.IOBase):
        file.seek(0)
    try:
        archive = np.load(file, allow_pickle=False)
    except (OSError, MemoryError):
        raise
    except Exception:
        raise ValueError(_NOT_A_MODEL) from None
    if isinstance(archive, np.ndarray):
        raise ValueError(_NOT_A_MODEL)
    return archive


def _read_header(archive: Any) -> dict[str, Any]:
    try:
        header = json.loads(str(archive["header"]))
    except (OSError, MemoryError):
        raise
    except Exception:
        raise ValueError(_NOT_A_MODEL) from None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise ValueError(_NOT_A_MODEL)
    if header.get("version") != VERSION:
        raise ValueError(
            f"The model file has version {header.get('version')}, and this release "
            f"reads version {VERSION}: fit and save the model again."
        )
    return header


class _Entries(dict[str, np.ndarray]):
    """The arrays of a file; each is read when it is used, and once."""

    def __init__(self, archive: Any) -> None:
        super().__init__()
        self.archive = archive

    def __missing__(self, name: str) -> np.ndarray:
        self[name] = self.archive[name]
        return self[name]


class _Encoder:
    """Turns values into JSON; arrays are stored once, under names of their own."""

    def __init__(self) -> None:
        self.arrays: Arrays = {}
        self._names: dict[int, str] = {}
        self._kept: list[Any] = []  # so that no id is used twice

    def encode(self, value: Any) -> Any:
        """Return a value as JSON."""
        if value is None or isinstance(value, (bool, int, float, str)):
            return value.item() if isinstance(value, np.generic) else value
        if isinstance(value, (np.ndarray, np.generic)):
            return self._encode_array(np.asarray(value), isinstance(value, np.generic))
        if sp.issparse(value):
            return self._encode_sparse(value)
        name = type(value).__name__
        if name in RECORDS or name in ESTIMATORS:
            state = {key: self.encode(item) for key, item in _state_of(value).items()}
            return {"class": name, "state": state}
        if isinstance(value, NeighborIndex):
            return {"class": name, "state": {"X": self.encode(value.X)}}
        if isinstance(value, np.random.RandomState):
            return {"random_state": self.encode(value.get_state())}
        if isinstance(value, (list, tuple)):
            kind = "tuple" if isinstance(value, tuple) else "list"
            return {kind: [self.encode(item) for item in value]}
        if isinstance(value, dict):
            items = value.items()
            return {"dict": [[self.encode(k), self.encode(v)] for k, v in items]}
        if callable(value):
            raise ValueError(
                "A Python function, such as a callable kernel, cannot be saved: use a "
                "named kernel."
            )
        raise ValueError(f"{name} objects cannot be saved: {value!r}.")

    def _encode_array(self, array: np.ndarray, scalar: bool) -> dict[str, Any]:
        if array.dtype.hasobject:
            items = [self.encode(item) for item in array.ravel().tolist()]
            return {"objects": items, "shape": list(array.shape)}
        if id(array) not in self._names:
            name = self._names[id(array)] = f"array_{len(self.arrays)}"
            self._kept.append(array)
            self.arrays[name] = _smallest_integers(array)
        name, dtype = self._names[id(array)], array.dtype.str
        return {"array": name, "dtype": dtype, "scalar": scalar}

    def _encode_sparse(self, rows: Any) -> dict[str, Any]:
        csr = rows.tocsr()
        parts = (csr.data, csr.indices, csr.indptr)
        return {
            "sparse": [self._encode_array(part, False) for part in parts],
            "shape": [int(size) for size in csr.shape],
            "matrix": sp.isspmatrix(rows),
        }


def _state_of(value: Any) -> dict[str, Any]:
    """Return the fields of a record, or the attributes of an estimator.

    What is kept for a warm start, callbacks and lazy arrays are left out.
    """
    if isinstance(value, tuple):
        return value._asdict()  # type: ignore[attr-defined]
    state = vars(value).items()
    return {
        key: item
        for key, item in state
        if key not in ("_kept", "_skl_callbacks")
        and not hasattr(item, "__dask_graph__")
    }


def _smallest_integers(array: np.ndarray) -> np.ndarray:
    """Return integers in the smallest type that holds them."""
    if array.dtype.kind not in "iu" or array.size == 0:
        return array
    low, high = int(array.min()), int(array.max())
    smallest = np.result_type(np.min_scalar_type(low), np.min_scalar_type(high))
    return array.astype(smallest) if smallest.kind in "iu" else array


def _decode(value: Any, arrays: Arrays) -> Any:
    """Return the value of its JSON."""
    if not isinstance(value, dict):
        return value
    if "array" in value:
        array = arrays[value["array"]].astype(np.dtype(value["dtype"]), copy=False)
        return array[()] if value["scalar"] else array
    if "objects" in value:
        result = np.empty(len(value["objects"]), dtype=object)
        result[:] = [_decode(item, arrays) for item in value["objects"]]
        return result.reshape(value["shape"])
    if "sparse" in value:
        parts = tuple(_decode(part, arrays) for part in value["sparse"])
        kind = sp.csr_matrix if value["matrix"] else sp.csr_array
        return kind(parts, shape=tuple(value["shape"]))
    if "random_state" in value:
        random = np.random.RandomState()
        random.set_state(_decode(value["random_state"], arrays))
        return random
    if "list" in value:
        return [_decode(item, arrays) for item in value["list"]]
    if "tuple" in value:
        return tuple(_decode(item, arrays) for item in value["tuple"])
    if "dict" in value:
        return {_decode(k, arrays): _decode(v, arrays) for k, v in value["dict"]}
    state = {name: _decode(item, arrays) for name, item in value["state"].items()}
    return _create(value["class"], state)


def _create(name: str, state: dict[str, Any]) -> Any:
    """Create an object of a known class from its state."""
    if name == "NeighborIndex":
        return NeighborIndex(state["X"])
    kind = getattr(import_module((RECORDS | ESTIMATORS)[name]), name)
    if issubclass(kind, tuple):
        return kind(**state)
    created = kind.__new__(kind)
    vars(created).update(state)
    return created
