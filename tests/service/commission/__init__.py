"""Tests of how well a table is seen."""
