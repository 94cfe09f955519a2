"""Run the models: detector, readers, stack height and stack change."""
