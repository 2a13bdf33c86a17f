"""Measurements that stay out of the tests."""
