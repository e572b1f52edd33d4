"""Players that use the public engine face alone."""
