"""Letters: links, sentences, rendering, what leaves and when."""
