"""Interval scales: the image of a measure, and ranks in it; one file per way to count."""
