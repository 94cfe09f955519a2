"""Who deals: the house's register of dealers, and the roster."""
