"""Clusters with few labels and pairs."""
