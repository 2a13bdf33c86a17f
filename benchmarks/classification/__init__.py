"""The reduced support vector classifier beside its paper and beside `SVC`."""
