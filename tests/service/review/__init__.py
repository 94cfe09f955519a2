"""Tests of `service/review`."""
