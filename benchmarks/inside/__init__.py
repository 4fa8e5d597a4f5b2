"""Scripts that time one call inside the process, where starting up and preparing would blur what is asked.

Each prints one line of JSON on standard output: `{"wall": seconds, "cpu": seconds}`.
"""
