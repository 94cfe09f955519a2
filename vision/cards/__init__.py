"""Track cards, read their faces and report what became of them."""
