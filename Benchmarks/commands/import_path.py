"""Makes the packages of the benchmarks known to a command that is started as a script, from any directory."""

import pathlib
import sys

# In front of this folder, whose commands have names that packages have too.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
