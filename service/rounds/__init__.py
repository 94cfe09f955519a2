"""Rounds and shifts as people read them, with their corrections."""
