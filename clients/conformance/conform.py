#!/usr/bin/env python3
"""Judges clients of locationd: runs each scenario of scenarios.json with each driver, and says what is not as it should be.

    conform.py --driver NAME=COMMAND … [--daemon PATH --locctl PATH] [--only SCENARIO …] [--table]

Exit codes: 0 every client does what is expected of it, 1 one does not, 2 wrong arguments. Scenarios that a client is known
to fail, has no call for, or promises otherwise, are listed with the reason in scenarios.json; one that is listed to fail and passes is
reported, so that the list stays true. SIGTERM ends the drivers and daemons, removes their directories, and exits with 143.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from driver_run import DriverRun
from judge import HopelessCheck, Measured, failures
from real_daemon import RealDaemon
from run import Ended, Run, Runs
from scripted_daemon import ScriptedDaemon
from table import markdown_table

#: Seconds for a scenario that names none: what a machine with other work may need, not what a client should.
PATIENCE = 60.0
#: What is under way, so that it can be ended.
RUNS = Runs()


@dataclass
class Result:
    """What came of one scenario with one driver."""

    scenario: dict[str, Any]
    driver: str
    failures: list[str] = field(default_factory=list)
    seconds: float = 0.0
    is_skipped: bool = False


@dataclass
class Programs:
    """The real daemon and its command, if there are any."""

    daemon: Path | None
    locctl: Path | None


def run_scenario(scenario: dict[str, Any], driver: str, command: str, programs: Programs) -> Result:
    """Runs one scenario with one driver."""
    if other := scenario.get("otherwise", {}).get(driver):
        scenario = {**scenario, "expect": other["expect"]}
    result = Result(scenario, driver)
    start = time.monotonic()
    run = Run(scenario.get("seconds", PATIENCE))
    try:
        # Another user must reach the socket in it.
        with (RUNS.holding(run),
              tempfile.TemporaryDirectory(prefix="conform-", ignore_cleanup_errors=True) as name):
            directory = Path(name)
            directory.chmod(0o755)
            if driver in scenario.get("notOffered", {}):
                result.is_skipped = True
                return result
            if scenario["daemon"] == "real":
                if not programs.daemon or not programs.locctl or (scenario.get("uid") and os.geteuid() != 0):
                    result.is_skipped = True
                    return result
                run_real(scenario, command, programs, directory, run)
            else:
                run_scripted(scenario, command, directory, run)
    except Ended:
        run.add_fault("the scenario could not be run: the daemon or its command did not answer in time")
    except (RuntimeError, OSError, ValueError, subprocess.SubprocessError) as error:
        run.add_fault(f"the scenario could not be run: {error}")
    first = run.first_event - run.started if run.first_event and run.started else None
    measured = Measured(growth=run.growth, first_event=first, attempts=run.attempts)
    result.failures = run.faults + failures(scenario["expect"], run.events, run.calls, measured)
    result.seconds = time.monotonic() - start
    return result


def run_scripted(scenario: dict[str, Any], command: str, directory: Path, run: Run) -> None:
    path = directory / "locationd.sock"
    if scenario["script"].get("leftSocket"):
        leave_socket(path)
    drivers: list[DriverRun] = []
    daemon = ScriptedDaemon(
        path, scenario["script"], run, resume=lambda: drivers[0].write_line(""), memory=lambda kind: drivers[0].memory(kind),
        forget_peak=lambda: drivers[0].forget_peak())
    try:
        daemon.start()
        drivers.append(DriverRun(command, scenario["call"], path, run, uid=scenario.get("uid")))
        drivers[0].finish(HopelessCheck(scenario["expect"]))
    finally:
        run.finish()
        for driver in drivers:
            driver.close()
        daemon.close()


def run_real(scenario: dict[str, Any], command: str, programs: Programs, directory: Path, run: Run) -> None:
    assert programs.daemon and programs.locctl
    daemon = RealDaemon(programs.daemon, programs.locctl, directory, scenario.get("script", {}), run)
    driver: DriverRun | None = None
    try:
        daemon.start()
        driver = DriverRun(command, scenario["call"], daemon.path, run, uid=scenario.get("uid"))
        try:
            daemon.perform()
        except Ended:
            run.add_fault("the scenario's steps were not reached in time")
        driver.finish(HopelessCheck(scenario["expect"]))
    finally:
        run.finish()
        if driver:
            driver.close()
        daemon.close()


def leave_socket(path: Path) -> None:
    """A socket that nobody listens at, as a daemon leaves it that was killed."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
    path.chmod(0o666)


def report(result: Result) -> tuple[list[str], bool]:
    """The lines about a result, and whether it is as expected."""
    name, reason = result.scenario["name"], result.scenario.get("expectedNo", {}).get(result.driver)
    if result.failures and reason:
        return [], True
    if result.failures:
        return [f"{result.driver}: {name}: {text}" for text in result.failures], False
    if reason:
        return [f"{result.driver}: {name}: passes, though it is listed to fail ({reason}); remove it from the list"], True
    return [], True


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Judges clients of locationd.")
    parser.add_argument("--driver", action="append", required=True, metavar="NAME=COMMAND", help="a client to judge")
    parser.add_argument("--daemon", type=Path, help="the real locationd; without it its scenarios are skipped")
    parser.add_argument("--locctl", type=Path, help="the real locctl")
    parser.add_argument("--only", action="append", metavar="SCENARIO", help="only the scenarios with these names")
    parser.add_argument("--scenarios", type=Path, default=Path(__file__).with_name("scenarios.json"))
    parser.add_argument("--parallel", type=int, default=8, metavar="N", help="scenarios at the same time (default: 8)")
    parser.add_argument("--table", action="store_true", help="print the table of scenarios and clients")
    parser.add_argument("--times", action="store_true", help="print how long each scenario took")
    return parser.parse_args()


def main() -> int:
    options = arguments()
    drivers = dict(text.split("=", 1) for text in options.driver if "=" in text)
    if len(drivers) != len(options.driver):
        print("--driver takes NAME=COMMAND, each name once", file=sys.stderr)
        return 2
    scenarios = json.loads(options.scenarios.read_text())["scenarios"]
    if options.only:
        if missing := set(options.only) - {scenario["name"] for scenario in scenarios}:
            print(f"no such scenario: {', '.join(sorted(missing))}", file=sys.stderr)
            return 2
        scenarios = [scenario for scenario in scenarios if scenario["name"] in options.only]
    programs = Programs(*(path.absolute() if path else None for path in (options.daemon, options.locctl)))
    # Those that wait longest begin first, so that the others run meanwhile.
    pairs = sorted(
        ((scenario, driver) for driver in drivers for scenario in scenarios),
        key=lambda pair: -pair[0].get("lasts", 0))
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    with ThreadPoolExecutor(max(1, options.parallel)) as pool:
        try:
            results = list(pool.map(lambda pair: run_scenario(*pair, drivers[pair[1]], programs), pairs))
        except BaseException:
            # The threads close what they have started; the pool waits for them.
            signal.signal(signal.SIGTERM, lambda *_: None)
            pool.shutdown(wait=False, cancel_futures=True)
            RUNS.finish()
            raise
    are_as_expected = True
    for result in results:
        lines, is_expected = report(result)
        are_as_expected = are_as_expected and is_expected
        print(*lines, sep="\n", end="\n" if lines else "")
    if options.times:
        for result in sorted(results, key=lambda result: -result.seconds):
            print(f"{result.seconds:6.2f} s  {result.driver}: {result.scenario['name']}")
    ran = {(result.scenario["name"], result.driver): not result.failures for result in results if not result.is_skipped}
    if options.table:
        print(markdown_table(scenarios, list(drivers), ran))
    print(f"{sum(ran.values())} of {len(ran)} passed, {len(results) - len(ran)} skipped", file=sys.stderr)
    return 0 if are_as_expected else 1


if __name__ == "__main__":
    sys.exit(main())
