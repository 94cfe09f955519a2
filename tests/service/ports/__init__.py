"""Tests of what rooms share."""
