"""What was played, as a reader may see it."""
