"""Signals that the picture shows: the lamp and the dealer's gesture."""
