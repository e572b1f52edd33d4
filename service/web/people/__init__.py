"""Pages of an account: sign-in, games, letters, data."""

from service.web.people import account, mailbox, mine, own_data, post, rhythm

PAGES = (account, mailbox, mine, own_data, post, rhythm)
