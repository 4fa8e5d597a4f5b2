"""Statements about runs with what supports them, and the report."""
