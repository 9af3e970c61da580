"""What is measured. A section has `measure(quick)`, run in a process of its own, and `tables(measured)`."""
