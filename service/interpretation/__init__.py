"""Turn observations into the lines of the table log."""
