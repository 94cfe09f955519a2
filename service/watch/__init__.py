"""Watch a recording from video to report."""
