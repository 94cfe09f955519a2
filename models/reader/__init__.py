"""The card reader: training, export, evaluation."""
