"""Base of all measures: base classes, parameters, parser, register, names that other tools use."""
