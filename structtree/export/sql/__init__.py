"""Export of models as SQL views."""
