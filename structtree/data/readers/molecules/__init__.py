"""Readers of molecules, based on RDKit."""
