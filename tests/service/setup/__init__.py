"""Tests of how a table is put under watch."""
