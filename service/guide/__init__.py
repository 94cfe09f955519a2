"""Set up a new table step by step: camera, cloth, calibration, chips, house, trial."""
