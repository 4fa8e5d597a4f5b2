"""Measures at every rank: what is asked for, the verb, and what it gives."""
