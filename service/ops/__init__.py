"""Running it: command line, supervisor, metrics, logs, backups.

What commands say to the person at the shell is English: refusals of `cli`, `host_cli`, `exports`, `backup`, and
those of `service.store.broker` and the settings. Whatever is shown on a page or in a letter, too, is a message of the
catalogue.
"""
