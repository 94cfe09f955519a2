"""Tests of `service/bench`."""
