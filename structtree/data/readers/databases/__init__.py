"""Databases and folders of tables."""
