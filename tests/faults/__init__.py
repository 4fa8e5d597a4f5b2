"""Faults on purpose: `python -m tests.faults` injects them by the hundred, and checks what is left behind."""
