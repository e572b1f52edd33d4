"""Pages of a running game: turn, orders, talk, host."""

from service.web.table import advance, host, journal, learn, orders, own_deck, problems, talk, turn, turn_links

PAGES = (advance, host, journal, learn, orders, own_deck, problems, talk, turn, turn_links)
