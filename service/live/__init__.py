"""Watch live tables, each in a process of its own."""
