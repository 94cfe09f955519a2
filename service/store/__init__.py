"""The database and files of the surveillance room: logs, alerts, evidence, cases, people, and the audit chain."""
