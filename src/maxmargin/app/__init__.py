"""The page of ``maxmargin app``: see clusters, correct them, take them away."""
