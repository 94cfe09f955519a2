"""Figures of the house: what went wrong how often, where, and whether it may be chance."""
