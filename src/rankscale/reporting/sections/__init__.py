"""The sections of a report: one file and one question each."""
