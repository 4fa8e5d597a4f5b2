"""Fusion: one ranking made of the rankings of several runs."""
