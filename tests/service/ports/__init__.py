"""Tests of `service/ports`."""
