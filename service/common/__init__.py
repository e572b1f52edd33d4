"""What everything stands on, and what knows nothing of Writ: files and the rights to them, addresses and texts in headers."""
