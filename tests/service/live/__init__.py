"""Tables that are watched live."""
