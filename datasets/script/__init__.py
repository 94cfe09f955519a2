"""Scenario scripts: a text says what happens at a table; it is played on a timeline and written as a recording with
truth."""
