"""Rounds found by what happened in them."""
