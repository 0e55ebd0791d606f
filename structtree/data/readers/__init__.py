"""Readers for all kinds of sources, one folder each; the module `reading` turns a source into a population."""
