"""Curves: measures at every rank; the verb, its result, and how values are read off."""
