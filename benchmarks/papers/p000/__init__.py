"""Gieseke, Pahikkala, Kramer: Fast Evolutionary Maximum Margin Clustering, 2009."""
