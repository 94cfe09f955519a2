"""The user interface: templates, style and scripts, all shipped with the service."""
