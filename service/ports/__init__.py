"""The interfaces between the parts of the service: protocols, messages, errors."""
