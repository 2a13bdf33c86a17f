"""Accuracy without labels: the default estimator beside other methods."""
