"""The move log of a game: entries, sentences, names, talk, results."""
