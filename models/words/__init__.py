"""The reader of words that are printed on cloths: training, export, evaluation."""
