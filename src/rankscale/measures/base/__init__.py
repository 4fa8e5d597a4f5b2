"""What a measure is: base classes, parameters, parser, register, names that other tools use."""
