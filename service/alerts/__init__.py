"""The subjects of the surveillance room: alerts, cases, decisions, accounts, signals."""
