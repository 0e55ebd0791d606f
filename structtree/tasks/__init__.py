"""Tasks: labels, their statistics, the criteria of splits, and the predictions of nodes."""
