"""Readers of databases and folders of tables."""
