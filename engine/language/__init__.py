"""Words and their translations: catalogues, sentences with gaps, data files of a package."""
