"""Tests of `models/index`."""
