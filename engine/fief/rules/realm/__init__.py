"""Pieces, map, table, titles, control, placing."""
