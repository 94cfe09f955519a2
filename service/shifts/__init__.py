"""Shifts and rounds as reviewers look at them: laid out along a line, and read one by one."""
