"""Tasks: what is learned from a target."""
