"""Tests of `service/corrections`."""
