"""From clips to sentences: the translator, the grammar step, and their commands."""
