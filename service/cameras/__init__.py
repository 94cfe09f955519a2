"""Find network cameras, and check what one of them sends."""
