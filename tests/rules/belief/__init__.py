"""Tests of `rules/belief`."""
