"""Tools around the games, not used to serve players."""
