"""The oriented detector: training, export, evaluation."""
