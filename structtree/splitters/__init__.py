"""Splitters: the best split of one node."""
