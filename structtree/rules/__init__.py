"""Rules and subgroups: other consumers of the predicate space than trees."""
