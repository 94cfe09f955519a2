"""Scenario scripts: a text says what happens at a table; it is written as a recording with its truth."""
