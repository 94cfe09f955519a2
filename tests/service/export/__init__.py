"""Tests of `service/export`."""
