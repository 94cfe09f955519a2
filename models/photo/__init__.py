"""How well cards are read in photographs."""
