"""Solvers of maximum margin clustering with margin losses.

Three independent methods: the hinge loss by cutting planes
(`cutting_plane_clustering`), alternation between a function and labels (`alternation`),
and semidefinite relaxations (`semidefinite`).
"""
