"""Mail that comes in: bounces and replies."""
