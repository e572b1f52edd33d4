"""Rules of Medieval Mastery, a file a chapter, independent of `face` and `orders`."""
