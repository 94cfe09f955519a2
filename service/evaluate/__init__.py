"""Compare what a watch found with the truth of a recording."""
