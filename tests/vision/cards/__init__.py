"""Tests of `vision/cards`."""
