"""What the referee found, and the alerts made of it."""
