"""Where everything is kept: database, models, queue, broker, seals, limits."""
