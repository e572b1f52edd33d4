"""Matches: logs, runs, standing orders, hidden answers, policies, search."""
