"""Tests of `vision/video`."""
