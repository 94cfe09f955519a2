"""Tests of `service/watch`."""
