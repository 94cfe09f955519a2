"""The running round: its cards, its wagers and its record."""
