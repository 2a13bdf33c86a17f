"""One fit: options, preparation of rows, candidates, choice, model."""
