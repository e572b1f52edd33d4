"""Rules engine: pure and deterministic; no clock, no I/O, no randomness except `chance`."""
