"""Tests of `service/interpretation`."""
