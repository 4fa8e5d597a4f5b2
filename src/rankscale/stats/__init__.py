"""Significance tests, corrections, correlations, and which conclusions they support."""
