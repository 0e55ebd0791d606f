"""Readers of molecules, through RDKit."""
