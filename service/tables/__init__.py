"""The tables of a service: all versions of their set-ups, and changes of them while the service runs."""
