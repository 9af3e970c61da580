"""Faults thrown at run folders: `python -m faults` from the folder `checks`, or `make faults`."""
