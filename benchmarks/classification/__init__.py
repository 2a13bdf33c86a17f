"""The reduced support vector classifier beside `SVC`."""
