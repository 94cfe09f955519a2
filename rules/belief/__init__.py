"""The hypotheses that a table log leaves open, and the probability of each fault given the whole log."""
