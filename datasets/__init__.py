"""What the models learned from: renderer, scenario scripts, formats."""
