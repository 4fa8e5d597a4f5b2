"""What several significance tests share."""
