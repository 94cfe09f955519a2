"""Tests of `service/retention`."""
