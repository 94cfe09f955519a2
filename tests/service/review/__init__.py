"""Reviews of recorded shifts."""
