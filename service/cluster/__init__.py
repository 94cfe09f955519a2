"""Distribute work over machines with Ray."""
