"""Audits of data: possible leaks of the target, each with a query that demonstrates it."""
