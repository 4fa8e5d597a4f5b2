"""What flows between the folders: frozen, over numpy; no input, no output, no formulas."""
