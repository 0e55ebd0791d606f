"""Readers of facts in Prolog syntax."""
