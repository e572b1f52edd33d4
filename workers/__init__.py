"""Celery workers: thin tasks that call the use cases, and the beat's schedule."""
