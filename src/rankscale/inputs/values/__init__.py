"""Values that were measured before, in the forms that tools write them."""
