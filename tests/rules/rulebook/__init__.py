"""Tests of `rules/rulebook`."""
