"""What the surveillance room keeps: logs, alerts, evidence, cases, people, and who did what."""
