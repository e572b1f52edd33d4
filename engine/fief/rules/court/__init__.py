"""Families and the church: marriages, elections, deaths, cards, disasters, ransom."""
