"""The graph of nearest neighbours and its smoothers."""
