"""From samples to a kernel and from a kernel to a smoother."""
