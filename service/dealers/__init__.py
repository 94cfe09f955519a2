"""The house's register of dealers, and the roster."""
