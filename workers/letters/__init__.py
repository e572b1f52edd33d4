"""Letters: what is due, and sending it."""
