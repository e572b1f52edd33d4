"""Operations: command line, supervisor, metrics, logs, backups. Shell messages are English only."""
