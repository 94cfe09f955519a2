"""What a table log leaves open, and how likely each fault is in the light of all of it."""
