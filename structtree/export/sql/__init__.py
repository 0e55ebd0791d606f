"""Models as SQL views."""
