"""The house checks itself: directions, sizes, names."""
