"""What must hold of a model that was read, since kernels don't check the bounds of arrays."""
