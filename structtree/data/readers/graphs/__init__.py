"""Readers of graphs: networkx graphs and their files, and folders in TU format."""
