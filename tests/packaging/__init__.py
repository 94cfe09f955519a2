"""Tests of the distribution: the lowest supported versions, and the wheel."""
