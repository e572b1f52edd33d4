"""People: accounts, signing in, their rhythm."""
