"""Attacks that were tried, kept as tests: none of them may work again."""
