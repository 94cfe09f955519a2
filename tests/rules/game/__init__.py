"""Tests of `rules/game`."""
