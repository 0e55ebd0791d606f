"""Audits of data: what may give the target away, each finding with the query that shows it."""
