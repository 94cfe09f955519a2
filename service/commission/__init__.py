"""Estimate how well a table is seen, without labels."""
