"""Facts in the syntax of Prolog."""
