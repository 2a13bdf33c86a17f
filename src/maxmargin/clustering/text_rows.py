"""Texts as samples: encoded by their words, with an encoder that the estimator keeps.

If an estimator sets ``_encodes_tables``, it takes texts as well as tables.
"""

from typing import Any

from sklearn.utils import get_tags

from maxmargin.clustering.table_rows import check_encoded_scale, set_encoder
from maxmargin.texts.encoder import TextEncoder


def encode_texts(estimator: Any, X: Any, *, reset: bool) -> Any:
    """Return the features of texts X; the words are learned if ``reset``."""
    name = type(estimator).__name__
    if not getattr(estimator, "_encodes_tables", False):
        raise TypeError(
            f"{name} takes no texts: encode them with maxmargin.texts.TextEncoder."
        )
    if get_tags(estimator).input_tags.pairwise:
        raise TypeError("A precomputed kernel is a matrix of numbers: give no texts.")
    if reset:
        check_encoded_scale(estimator)
        set_encoder(estimator, TextEncoder().fit(X))
    encoder = getattr(estimator, "_encoder", None)
    if not isinstance(encoder, TextEncoder):
        raise ValueError(
            f"{name} was not fitted to a list of texts: give samples as in fit."
        )
    return encoder.transform(X)


def check_no_encoder(estimator: Any) -> None:
    """Raise an error if an estimator needs texts or a table, and got other samples."""
    encoder = getattr(estimator, "_encoder", None)
    name = type(estimator).__name__
    if isinstance(encoder, TextEncoder):
        raise ValueError(f"{name} was fitted to texts: give a list of texts.")
    if encoder is not None:
        raise ValueError(
            f"{name} was fitted to a table whose columns were encoded, so it needs a "
            "table with these columns: give a data frame."
        )
