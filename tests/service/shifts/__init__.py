"""Tests of shifts and their pages."""
