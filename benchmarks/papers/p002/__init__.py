"""Fan, Cao, Cui, Zhu, Ong: Maximum Margin Clustering on Evolutionary Data, 2012."""
