"""Tests of `vision/health`."""
