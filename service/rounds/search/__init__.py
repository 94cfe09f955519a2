"""Find rounds by words."""
