"""Rank correlations and rank-biased overlap."""
