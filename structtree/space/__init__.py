"""The predicate space: canonical forms, evaluation, refinement and the number of predicates."""
