"""Many runs: a grid of specs, played over the cores, stored, resumed, and read back as one table."""
