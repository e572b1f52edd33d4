"""Pages of what was played: history, replay, result."""
