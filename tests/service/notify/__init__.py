"""What is reported to the outside."""
