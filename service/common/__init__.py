"""Helpers without Writ's domain: files, addresses, headers, texts."""
