"""Studies of many runs, one file and one command each."""
