"""Export the house's data as Parquet."""
