"""Tests of the house's figures."""
