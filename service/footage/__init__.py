"""Recorded video of what the store tells of: found by log and moment, and cut when somebody wants to see it."""
