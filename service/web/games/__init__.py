"""Pages around a game: opening, lobby, invitations, decks, clock."""
