"""Nearest neighbours of samples, and the graph of them."""
