"""Fonts for the renderer's lettering, subsets of free ones; LICENCES.txt names their owners."""

from thirdcard.datasets.fonts.shipped import MissingFontError, font_path, open_font

__all__ = ["MissingFontError", "font_path", "open_font"]
