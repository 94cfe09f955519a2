"""Tests of what people correct."""
