"""Break one rule at a time, and see whether the tests that carry its number fail."""
