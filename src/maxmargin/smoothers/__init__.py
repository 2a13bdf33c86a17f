"""How samples are compared: distances, neighbours, graphs, kernels, and smoothers."""
