"""Many samples: time, memory and accuracy against k-means, on one machine and more."""
