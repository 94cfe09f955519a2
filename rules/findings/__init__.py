"""The referee's findings, and the alerts made from them."""
