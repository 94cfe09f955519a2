"""Tests of `service/rounds/search`."""
