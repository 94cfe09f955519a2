"""Tests of `service/web`."""
