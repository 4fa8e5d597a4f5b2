"""Output: one file for each form that results are written in."""
