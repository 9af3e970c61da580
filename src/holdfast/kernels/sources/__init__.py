"""The compiled code itself. `holdfast.kernels.loading` explains why it is imported from a copy."""
