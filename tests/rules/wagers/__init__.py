"""Tests of `rules/wagers`."""
