"""Clips, stills and overlays: the evidence of alerts."""
