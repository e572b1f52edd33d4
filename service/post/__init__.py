"""Letters: made, linked, followed."""
