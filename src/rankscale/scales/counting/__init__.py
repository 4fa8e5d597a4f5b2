"""Exact counts of the distinct values of a measure: one file for each counting method."""
