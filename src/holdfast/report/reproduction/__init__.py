"""The report of a reproduction: its outline, figures and tables, as page, text and pictures."""
