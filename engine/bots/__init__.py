"""Bots: players that use only the engine's public interface."""
