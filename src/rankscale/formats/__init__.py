"""One file per input or output form."""
