"""One signed log over all chains: it proves to outsiders what a chain held, and when."""
