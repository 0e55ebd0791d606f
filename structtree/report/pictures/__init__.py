"""Pictures of trees, individuals, explanations and predicate spaces."""
