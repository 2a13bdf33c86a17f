"""Texts beside the usual methods for them, by words and by embeddings."""
