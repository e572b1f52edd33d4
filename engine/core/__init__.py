"""Kernel that games are written with."""
