"""Movement, captives, cavalcades, battles, sieges, uprisings."""
