"""Catalogues of the service's words: `writ.pot` as gathered from the source, and `LANG.po` for each language."""
