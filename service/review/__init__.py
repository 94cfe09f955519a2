"""Review recorded shifts: find them, watch them in segments, join these into one log, judge it and store the result."""
