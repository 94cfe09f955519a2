"""Measure speed, compared with the plain way."""
