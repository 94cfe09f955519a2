"""What a log leaves open, and how likely each fault is."""
