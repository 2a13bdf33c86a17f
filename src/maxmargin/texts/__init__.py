"""Texts: their words or embeddings as features, and the words that tell clusters."""

from maxmargin.texts.encoder import TextEncoder
from maxmargin.texts.keywords import find_keywords

__all__ = ["TextEncoder", "find_keywords"]
