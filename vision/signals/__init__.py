"""Signals that the picture shows: lamps, and an arm's gesture."""
