"""Workers in several processes, on one machine or many: shards of many workers each. docs/engines.md explains it."""
