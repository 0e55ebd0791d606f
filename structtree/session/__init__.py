"""Steps from a source of data to a model, shared by the command line and Python: read, settle the task, fit."""
