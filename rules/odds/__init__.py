"""Exact odds by full enumeration."""
