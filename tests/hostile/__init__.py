"""Input and circumstances that are meant to do harm: names, tables, sizes, closed streams."""
