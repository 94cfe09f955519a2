"""Tests of `vision/signals`."""
