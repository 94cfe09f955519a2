"""One signed log over all chains: what a chain held, and that it was there, can be proved to outsiders."""
