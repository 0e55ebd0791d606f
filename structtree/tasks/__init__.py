"""Tasks: what is predicted. Labels, their statistics, the criteria that read them, and what nodes say."""
