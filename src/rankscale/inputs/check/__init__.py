"""Submissions of a shared task: what is wrong or odd with files, before anything is measured."""
