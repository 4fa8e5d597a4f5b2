"""Tests, corrections, correlations and what may be said with them; one file each."""
