"""Evolving clustering under the protocol of Fan et al. (2012), and on real data."""
