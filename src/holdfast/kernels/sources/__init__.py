"""The code that is compiled. `holdfast.kernels.loading` imports it."""
