"""Kernel that games are written with: asks, procedures, chance, who sees what, offers, words."""
