"""Input: one file for each form that runs and qrels come in."""
