"""Tests of the data export."""
