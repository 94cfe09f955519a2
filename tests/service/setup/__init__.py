"""Tests of `service/setup`."""
