"""Clips, stills and overlays: the evidence of an alert."""
