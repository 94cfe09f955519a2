"""Tests of `service/docgen`."""
