"""The retention of evidence, and the disk budget."""
