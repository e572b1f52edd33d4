"""The move log of a game: entries, their sentences, names and talk, results."""
