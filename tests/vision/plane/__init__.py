"""Tests of `vision/plane`."""
