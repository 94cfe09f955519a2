"""Tests that need torch: `make train-test` runs them; the usual pytest run, which has no torch, skips this folder."""
