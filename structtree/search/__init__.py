"""The search for the best split: branch and bound over the predicates that a grammar derives."""
