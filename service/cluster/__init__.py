"""Share work over machines with Ray."""
