"""Do the tests notice when a rule, a stage or an attack is changed a little? `make mutations`."""
