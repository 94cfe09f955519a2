"""Tables that are added, changed, stopped and taken back."""
