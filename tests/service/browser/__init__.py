"""The room in a real browser."""
