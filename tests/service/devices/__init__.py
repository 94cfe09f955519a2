"""Tests of `service/devices`."""
