"""Tests, corrections and correlations; one file each."""
