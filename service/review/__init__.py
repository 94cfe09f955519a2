"""Recorded shifts: found, watched in segments, joined into one log, judged and entered into the store."""
