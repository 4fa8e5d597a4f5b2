"""Processes killed at random: `python -m tests.faults` does it many times, and compares what comes out."""
