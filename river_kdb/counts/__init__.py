"""Count tables and the window, kept by kernels over plain arrays."""
