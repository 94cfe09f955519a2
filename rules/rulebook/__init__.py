"""Rulebooks as data: load, parse, check, and elect options."""
