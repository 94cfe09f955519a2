"""Parse and check the files that a house writes: tables, settings, the data folder."""
