"""Measures: one file each; the register knows them by name."""
