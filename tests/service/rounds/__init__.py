"""Tests of `service/rounds`."""
