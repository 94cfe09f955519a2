"""Tests of `service/evaluate`."""
