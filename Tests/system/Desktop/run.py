"""What a person meets in the session of a desktop, with the packages installed, in the order in which it stands here.

The desktop is the real one, and so are its notifications, its dialogs, polkit's password and the location switch. The
position is a simulated drive's, and nobody sits there: a program moves the mouse and types. Each step keeps pictures.
"""

import argparse
import pathlib
import shutil
import sys
import time

import checks
import phosh
from gnome import Gnome
from machine import Machine
from patience import Failure

#: What a failure is judged by, beside the screen: the programs' journals, and what the bus has refused.
REPORTS = [
    ("journalctl", "--no-pager", "--lines=40", "--output=short-precise", "--identifier=locationd",
     "--identifier=locationd-agent", "--identifier=locationd-geoclue", "--identifier=gnome-shell",
     "--identifier=phosh", "--identifier=polkitd"),
    ("journalctl", "--no-pager", "--lines=10", "--identifier=dbus-daemon", "--grep=Rejected"),
    ("locctl", "clients"),
    ("locctl", "authorizations"),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--desktop", required=True, choices=("gnome", "phosh"))
    parser.add_argument("--tree", required=True, help="a prepared Debian 13")
    parser.add_argument("--debs", required=True, type=pathlib.Path, help="the folder of the packages")
    parser.add_argument("--pictures", required=True, type=pathlib.Path, help="where the pictures go")
    parser.add_argument("--short", action="store_true", help="GNOME's first question alone")
    options = parser.parse_args()
    steps = phosh.CHECKS if options.desktop == "phosh" else checks.SHORT if options.short else checks.CHECKS
    shutil.rmtree(options.pictures, ignore_errors=True)
    options.pictures.mkdir(parents=True)
    with Machine(options.tree, {options.debs.resolve(): "/mnt"}, f"{options.pictures}.log") as machine:
        desktop = (phosh.Phosh if options.desktop == "phosh" else Gnome)(machine, options.pictures)
        for step in steps:
            name, start = step.__name__.replace("_", " "), time.monotonic()
            try:
                step(desktop)
            except Failure as failure:
                print(f"failed: {name}\n{failure}\n{evidence(desktop)}")
                for command in REPORTS:
                    print(f"== {' '.join(command)}\n{machine.attempt(*command).stdout}")
                sys.exit(1)
            print(f"{time.monotonic() - start:5.1f} s  {name}", flush=True)


def evidence(desktop):
    """What is on the screen, if there is one."""
    try:
        return f"picture: {desktop.shot('failure')}\non the screen:\n{desktop.describe()}"
    except Exception as error:  # Nothing may hide the failure itself.
        return f"no picture: {error!r}"


if __name__ == "__main__":
    main()
