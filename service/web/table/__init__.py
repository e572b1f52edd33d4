"""Pages of a running game: turn, orders, talk, host."""
