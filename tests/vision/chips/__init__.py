"""Tests of `vision/chips`."""
