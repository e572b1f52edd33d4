"""Storage: database, models, queue, broker, encryption, rate limits."""
