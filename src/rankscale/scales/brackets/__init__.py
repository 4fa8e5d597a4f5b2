"""Certified brackets: lower and upper limits of ranks, for rankings of any length."""
