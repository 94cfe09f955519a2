"""The HTTP service: application, requests, schemas, routes and pages."""
