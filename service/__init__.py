"""The service: settings, database, use cases and pages. It imports the engine, never the workers."""
