"""How long evidence is kept, and the disk's budget."""
