"""Rows of samples: checks, preparation, distinct ones, blocks and threads over them."""
