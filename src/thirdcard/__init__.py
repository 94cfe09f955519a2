"""Thirdcard: watch baccarat tables through overhead cameras and say what went wrong, by which rule, with pictures."""

__version__ = "0.1.0"
