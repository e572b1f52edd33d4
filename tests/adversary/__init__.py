"""Attacks, as tests: what an adversary tried, and what has to hold."""
