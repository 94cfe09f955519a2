"""Checks of the source code: imports, sizes, names."""
