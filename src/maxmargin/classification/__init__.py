"""Classifiers: few support vectors, few labels."""
