"""Metrics, folds, cross-validation and leakage checks."""
