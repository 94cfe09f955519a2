"""Tests of `models/stacks`."""
