"""Frames, arrays and files with one table."""
