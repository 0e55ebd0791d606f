"""Readers of nested records and JSON Lines."""
