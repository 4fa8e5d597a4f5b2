"""Estimates from random rankings, with confidence intervals."""
