"""Forms, typed answers, sentences of orders, listed boards."""
