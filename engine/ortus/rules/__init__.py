"""Rules of Ortus Regni, a file a chapter, independent of `face` and `orders`."""
