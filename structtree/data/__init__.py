"""Data: schemas (data-free), populations (linked columns), and one reader per source."""
