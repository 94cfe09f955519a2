"""The service's addresses, a file for each noun."""
