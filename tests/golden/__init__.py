"""A record of what users see: commands and snippets of Python, each with all that it printed and wrote."""
