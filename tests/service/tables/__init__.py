"""Tests of `service/tables`."""
