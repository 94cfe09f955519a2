"""Tests of `rules/odds`."""
