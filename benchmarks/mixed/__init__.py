"""Tables of numbers and categories, beside four methods for them."""
