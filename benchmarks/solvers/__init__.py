"""The solvers of the papers, under the protocols of the papers."""
