"""The grammar language: parsing, checking and printing of grammars and predicates."""
