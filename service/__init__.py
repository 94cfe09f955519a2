"""The service: connects `vision` and `rules`, and serves the people who use them."""
