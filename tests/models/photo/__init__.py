"""Tests of `models/photo`."""
