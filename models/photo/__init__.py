"""Evaluation of card recognition in photographs."""
