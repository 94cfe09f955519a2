"""Tests of `vision/spread`."""
