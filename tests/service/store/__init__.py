"""Tests of `service/store`."""
