"""Pictures: one file per figure, first the data drawn, then the drawing."""
