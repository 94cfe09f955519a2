"""Tests of `service/dealers`."""
