"""The peers of the daemon: real, or programs that stand in for them."""
