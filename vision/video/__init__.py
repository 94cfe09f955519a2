"""Decode video: frames with their times."""
