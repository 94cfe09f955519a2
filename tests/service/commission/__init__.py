"""Tests of `service/commission`."""
