"""Positions, addresses, labels and sentences as text, and back."""
