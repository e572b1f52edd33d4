"""The rules of Writ's games: pure and deterministic, with no clock, no I/O and no randomness but `chance`."""
