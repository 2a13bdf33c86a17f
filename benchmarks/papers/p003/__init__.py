"""Pahikkala, Airola, Gieseke, Kramer: Unsupervised Training of RLS Classifiers."""
