"""Interval scales: the distinct values that a measure can take (its image), and ranks among them."""
