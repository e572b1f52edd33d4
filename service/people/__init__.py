"""People: accounts, sign-in, rhythm."""
