"""Cards spread over the table: find the rows, read them, and enrol a house's cards."""
