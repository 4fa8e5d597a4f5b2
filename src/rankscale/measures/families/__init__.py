"""What only some measures share: relative positions, preferences, sub-topics."""
