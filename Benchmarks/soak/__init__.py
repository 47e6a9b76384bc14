"""The parts of the command soak: the faults, the clients that come and go, the tap at gpsd, and the watches that stay."""
