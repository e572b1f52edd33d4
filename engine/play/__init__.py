"""Matches: logs and their verification, runs, standing orders, hidden answers, policies, search."""
