"""What is measured. A section has `measure(effort)`, run in a process of its own, and `tables(measured)`."""
