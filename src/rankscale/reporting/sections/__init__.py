"""The sections of a report, each of which answers one question."""
