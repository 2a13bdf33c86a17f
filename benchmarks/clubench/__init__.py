"""The benchmark CLUBench: the page of its results."""
