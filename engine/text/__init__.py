"""Positions, addresses of answers, labels and sentences as text, and back."""
