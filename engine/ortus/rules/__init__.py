"""Rules of Ortus Regni, a file a chapter; they know nothing of `face` and `orders`."""
