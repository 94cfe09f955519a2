"""Tests of `vision/photo`."""
