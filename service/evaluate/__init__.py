"""Compare what a watch found with what really happened."""
