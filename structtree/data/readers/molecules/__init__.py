"""Molecules."""
