"""Metrics, folds, validation, leakage."""
