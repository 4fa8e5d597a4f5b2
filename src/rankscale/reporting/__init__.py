"""The report: answers about runs as one page."""
