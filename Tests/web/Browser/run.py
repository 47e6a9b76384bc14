"""The pages of locationd-web in Debian's Chromium, against the built daemon, track history and web service.

    run.py --binaries DIR [--pages DIR] [--screenshots DIR] [CHECK ...]

Each check starts its own programs. It takes root, because it acts for several users. Without names of checks all are done but those of
`make deep`.
Exit status: 0 if all hold, 1 if one does not, which is printed.
"""

import argparse
import os
import pathlib
import sys
import time
import traceback

from playwright.sync_api import sync_playwright

import administration
import appearance
import attacks
import claims
import coordinates
import faults
import figures
import firefox
import fleet
import nearby
import permission
import position
import proxy
import reduction
import regions
import states
import surroundings
import track
import trail
import world
from machine import Machine

CHECKS = [check for module in (coordinates, position, faults, permission, administration, regions, track, fleet, nearby, world,
                              surroundings, attacks, claims,
                              appearance, figures, reduction, states, trail)
          for check in module.CHECKS]
#: Done by name alone, because of what they need.
DEEP = proxy.CHECKS + firefox.CHECKS


class Bench:
    """What a check is given: the browser, a way to start a machine, and where screenshots go."""

    def __init__(self, arguments, browser):
        self.arguments = arguments
        self.browser = browser
        self.screenshots = arguments.screenshots
        self.machines = []

    def machine(self, **options):
        machine = Machine(self.arguments.binaries, **{"pages": self.arguments.pages, "borders": self.arguments.map} | options)
        self.machines.append(machine)
        return machine


def parse():
    parser = argparse.ArgumentParser(description="Tries the pages of locationd-web in a browser.")
    parser.add_argument("--binaries", required=True, help="the folder of the built programs")
    parser.add_argument("--pages", help="serve this folder instead of that beside the program")
    parser.add_argument("--map", default=".build/geodata/map", help="the folder of the map's files")
    parser.add_argument("--screenshots", default=".build/web", help="where screenshots are written")
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    parser.add_argument("checks", nargs="*", help="names of checks; all without one")
    return parser.parse_args()


def main():
    arguments = parse()
    if os.geteuid() != 0:
        sys.exit("It takes root, because it acts for several users: run it by sudo.")
    unknown = set(arguments.checks) - {check.__name__ for check in CHECKS + DEEP}
    if unknown:
        sys.exit(f"There is no check {', '.join(sorted(unknown))}.")
    pathlib.Path(arguments.screenshots).mkdir(parents=True, exist_ok=True)
    failed = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=arguments.chromium)
        for check in CHECKS + DEEP if arguments.checks else CHECKS:
            if arguments.checks and check.__name__ not in arguments.checks:
                continue
            begin = time.monotonic()
            bench = Bench(arguments, browser)
            try:
                remark = check(bench)
                print(f"ok     {check.__name__} ({time.monotonic() - begin:.1f} s){': ' + remark if remark else ''}", flush=True)
            except Exception:
                failed.append(check.__name__)
                print(f"FAILED {check.__name__}\n{traceback.format_exc()}", flush=True)
                for machine in bench.machines:
                    print(machine.last_logs, flush=True)
        browser.close()
    print(f"{len(failed)} failed: {', '.join(failed)}" if failed else "all hold")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
