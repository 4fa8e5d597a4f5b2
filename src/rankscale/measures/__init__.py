"""Measures: one file each, found through the register."""
