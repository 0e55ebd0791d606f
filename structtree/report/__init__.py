"""Reports: what a person looks at."""
