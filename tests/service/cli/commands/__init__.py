"""Tests of `service/cli/commands`."""
