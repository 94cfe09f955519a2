"""Whether the camera's picture can be trusted."""
