"""Corrections of rounds by people: entered, judged again, taken back, and kept for the next training."""
