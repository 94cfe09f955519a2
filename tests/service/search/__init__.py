"""Tests of finding rounds."""
