"""Catalogues of the service's messages: `writ.pot`, extracted from the source, and `LANG.po` for each language."""
