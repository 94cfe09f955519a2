"""Break one rule at a time, and check that the tests with its number fail."""
