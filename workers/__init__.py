"""Celery workers: thin tasks that call use cases, and the beat schedule."""
