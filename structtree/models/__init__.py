"""Trees and models: predict, explain, save, load."""
