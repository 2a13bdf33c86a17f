"""Rows of samples: distinct ones, blocks, counts."""
