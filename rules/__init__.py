"""What happened on a table, and what the rulebooks say about it."""
