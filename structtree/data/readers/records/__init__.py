"""Nested records and JSON Lines."""
