"""The parts of soak.py."""
