"""Cards in any photograph, without a calibration."""
