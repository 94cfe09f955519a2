"""Watch chip stacks: whether they changed, which way, and how high they are."""
