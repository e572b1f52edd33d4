"""Letters: rendering, links, delivery."""
