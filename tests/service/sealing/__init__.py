"""Tests of `service/sealing`."""
