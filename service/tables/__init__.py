"""The tables of a service: every version of their set-ups, and what people do with them while it runs."""
