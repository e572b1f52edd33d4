"""What was played, as a reader may see it: viewer, history, journal, downloads."""
