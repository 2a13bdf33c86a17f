"""The search for labels that maximise the objective of a smoother."""
