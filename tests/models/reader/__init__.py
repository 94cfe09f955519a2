"""Tests of `models/reader`."""
