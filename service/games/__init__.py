"""Games: lobby, options, decks, rematches, lists of games, and what letters say of them."""
