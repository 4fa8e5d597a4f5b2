"""Files that nobody means to write, read by the core and by a plain reader: both must say the same."""
