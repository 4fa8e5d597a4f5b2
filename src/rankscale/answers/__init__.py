"""Answers to questions about runs, made once and shown by every surface: who leads, what is sure, what to beware of."""
