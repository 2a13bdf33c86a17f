"""Accuracy and stability without labels: the default estimator beside other methods."""
