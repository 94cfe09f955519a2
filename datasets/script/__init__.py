"""Scenario scripts: what happens at a table, as text; played on a timeline, written as a recording with truth."""
