"""Tests of `models/detector`."""
