"""From a source of data to a model, for the command line and for Python: read, settle what is learned, fit."""
