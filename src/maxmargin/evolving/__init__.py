"""Clusters of data that change: snapshots of objects that come, move and leave."""
