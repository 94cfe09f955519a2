"""Network cameras that do not exist, found and asked."""
