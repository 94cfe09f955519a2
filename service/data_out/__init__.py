"""The house's data as Parquet files for others to read."""
