"""Kernels, and regularised least squares with them as a smoother matrix."""
