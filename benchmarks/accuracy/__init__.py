"""Accuracy without labels: the default estimator beside its peers over the suite."""
