"""Readers of every source, one folder each: `reading` turns the source into a population."""
