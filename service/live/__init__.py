"""Tables that are watched as they are played, each by a process of its own."""
