"""Export of models as Prolog clauses."""
