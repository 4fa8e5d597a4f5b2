"""Measures, a file for each or for those that are one thing in several spellings; the register knows them by name."""
