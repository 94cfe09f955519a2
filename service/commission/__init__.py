"""How well a table is seen, without labels."""
