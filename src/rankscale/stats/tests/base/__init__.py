"""Code that several significance tests share."""
