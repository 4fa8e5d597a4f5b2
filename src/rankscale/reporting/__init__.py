"""What may be said with the numbers: statements, each with what supports it."""
