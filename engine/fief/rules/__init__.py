"""Rules of Fief, a file a chapter."""
