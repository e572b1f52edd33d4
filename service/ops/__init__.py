"""Operations: command line, supervisor, metrics, logs, backups. Shell messages are English only; pages and letters use the
catalogue.
"""
