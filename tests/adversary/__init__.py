"""What an adversary tried, and what must not work again."""
