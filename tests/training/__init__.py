"""Tests of what needs torch: `make train-test` runs them; pytest's usual run, which has no torch, leaves them out."""
