"""Pieces, map, table, titles, control, placing: what every chapter rests on."""
