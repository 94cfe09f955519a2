"""Tests of `rules/log`."""
