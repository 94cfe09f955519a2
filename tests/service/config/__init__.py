"""Tests of `service/config`."""
