"""Running it: command line, supervisor, metrics, logs, backups."""
