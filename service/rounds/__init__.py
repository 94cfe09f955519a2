"""Rounds and shifts for display, with their corrections."""
