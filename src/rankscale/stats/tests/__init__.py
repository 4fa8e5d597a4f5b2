"""Significance tests: one file each, and the register that finds them by name."""
