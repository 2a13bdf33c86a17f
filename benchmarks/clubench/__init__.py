"""CLUBench, a published benchmark: results and their page."""
