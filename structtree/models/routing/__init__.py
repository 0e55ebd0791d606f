"""Routing of individuals down a tree."""
