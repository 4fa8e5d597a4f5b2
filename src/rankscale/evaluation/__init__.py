"""Evaluation: the verb, its result, and what happens between the two."""
