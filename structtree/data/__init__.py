"""Schemas, populations (linked columns), and a reader for each kind of source."""
