"""Camera to layout plane: lens, pose, printed cloths."""
