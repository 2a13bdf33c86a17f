"""What maps targets to fitted values: smoothers of kernels and of the graph."""
