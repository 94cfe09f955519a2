"""The store: chains, people, the audit, the database."""
