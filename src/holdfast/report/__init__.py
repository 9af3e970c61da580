"""Results for people: tables, charts, one self-contained page. Pure functions of results."""
