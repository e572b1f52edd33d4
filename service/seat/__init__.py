"""A seat: what it sees, and what its player does."""
