"""Joins seeing and meaning, and faces people."""
