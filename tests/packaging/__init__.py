"""What is shipped: the lowest versions that are promised, and the wheel."""
