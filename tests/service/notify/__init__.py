"""Tests of `service/notify`."""
