"""Tests of `service/media`."""
