"""The grammar language: text <-> syntax <-> checked grammar."""
