"""Export of models to other languages."""
