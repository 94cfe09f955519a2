"""The rectified view of the layout plane: what changed, what is covered, how bright it is."""
