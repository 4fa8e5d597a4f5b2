"""Counting the values of a measure exactly: one file for each way to count."""
