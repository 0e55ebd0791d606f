"""The search for the best split: criteria with their bounds, and the branch-and-bound that uses them."""
