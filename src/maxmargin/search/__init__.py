"""From a smoother to labels: moves, descents, shaking, balance, restarts."""
