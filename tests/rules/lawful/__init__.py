"""Simulated tables on which everything is permitted by the rulebook's text, and single faults on them."""
