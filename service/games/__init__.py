"""Games: lobby, log, turn pages, orders, history."""
