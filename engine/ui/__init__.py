"""Forms, answers typed in words, sentences of orders, listed boards."""
