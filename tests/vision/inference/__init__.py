"""Tests of `vision/inference`."""
