"""The running round: cards drawn, wagers, and what its record says."""
