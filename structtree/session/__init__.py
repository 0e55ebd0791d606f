"""Steps from a data source to a model, shared by the command line and Python: read, choose the task, fit."""
