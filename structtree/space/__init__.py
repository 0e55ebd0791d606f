"""The predicate space: canonical terms, what they mean, the rewrites that connect them, and how many there are."""
