"""Fonts that the renderer letters with, subsets of free ones; LICENCES.txt names whose they are."""

from thirdcard.datasets.fonts.shipped import MissingFontError, font_path, open_font

__all__ = ["MissingFontError", "font_path", "open_font"]
