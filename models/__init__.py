"""What the detector and the reader are and how they were made."""
