"""The routes of the service, one module per kind of resource."""
