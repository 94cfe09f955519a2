"""Tests of `service/live`."""
