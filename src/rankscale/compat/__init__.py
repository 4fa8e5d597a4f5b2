"""Bridges: modules that stand in for those of other tools, so that a script switches by one line."""
