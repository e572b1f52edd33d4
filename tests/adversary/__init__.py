"""Attacks: what an adversary tried, and runs that try it for longer."""
