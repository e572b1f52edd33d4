"""Pages of an account: sign-in, games, letters, data."""
