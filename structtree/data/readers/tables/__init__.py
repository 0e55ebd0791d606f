"""Readers of DataFrames, arrays, and files with one table."""
