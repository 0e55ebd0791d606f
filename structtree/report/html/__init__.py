"""HTML reports and notebooks."""
