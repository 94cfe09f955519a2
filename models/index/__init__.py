"""The index finder and the index reader: training, export, evaluation."""
