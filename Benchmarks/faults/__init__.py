"""The faults of faults.py, and what they happen to."""
