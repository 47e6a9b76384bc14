"""The faults of the command of this name, in a module for each thing that fails, and what they share."""
