"""Incoming mail: bounces and replies."""
