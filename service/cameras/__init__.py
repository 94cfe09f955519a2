"""Find network cameras, and look at what one of them sends."""
