"""What people correct in rounds: entered, judged again, taken back, and kept for the next training."""
