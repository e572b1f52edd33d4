"""Pages around a game: opening, lobby, invitations, decks, clock."""

from service.web.games import clock, decks, invitations, joining, lobby, musters, opening, options, practice

PAGES = (clock, decks, invitations, joining, lobby, musters, opening, options, practice)
