"""Measure speed, side by side with the plain way."""
