"""Zhang, Tsang, Kwok: Maximum Margin Clustering Made Practical, 2007."""
