"""Tests of `rules/cards`."""
