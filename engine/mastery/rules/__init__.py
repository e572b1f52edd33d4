"""Rules of Medieval Mastery, a file a chapter; they know nothing of `face` and `orders`."""
