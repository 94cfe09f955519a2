"""Stack height, stack change and chip faces: training, export, evaluation."""
