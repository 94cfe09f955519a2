"""Set up a table: find what is wrong with its files before anybody is accused because of it."""
