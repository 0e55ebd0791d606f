"""Growing, pruning and using trees."""
