"""Models in other languages."""
