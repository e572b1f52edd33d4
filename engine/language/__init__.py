"""Words and their translations."""
