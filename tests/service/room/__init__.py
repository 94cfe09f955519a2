"""The surveillance room's web service, in process, with fakes for the tables and the clock."""
