"""Generate the documentation's pages on odds and rulebooks."""
