"""Models as Prolog clauses."""
