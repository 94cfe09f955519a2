"""Tables on which all that happens is what the rulebook's text permits, and single faults on them."""
