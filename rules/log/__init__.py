"""The table log: events, their fields, and reading them from JSON lines."""
