"""Tests with simulated network cameras: discovery and requests."""
