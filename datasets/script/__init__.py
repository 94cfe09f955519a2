"""Scenario scripts: what happens at a table, as text; played on a timeline, and written as a recording with its truth."""
