#!/usr/bin/env python3
"""Real faults, one after another: what is lost, and how long it takes until fixes arrive again.

Exits with 1 if an expectation is not met. Needs root, gpsd and about ten minutes.
"""

import ctypes
import os
import sys
import time
import traceback

import import_path  # Makes the packages below importable.
from faults import clock, connections, daemon, disk, gpsd, memory
from library import harness

FAULTS = {f"{module.__name__.rpartition('.')[2]}.{fault.__name__}": fault
          for module in (gpsd, daemon, disk, connections, clock, memory) for fault in module.FAULTS}
INDENT = 33 * " "


def unshare_mounts():
    """Mounts made from here on are visible to this program and its children only, and disappear with them."""
    libc = ctypes.CDLL(None, use_errno=True)
    new_namespace, recursively_private = 0x20000, 0x44000
    if libc.unshare(new_namespace) or libc.mount(b"none", b"/", None, recursively_private, None):
        sys.exit(f"no mount namespace: {os.strerror(ctypes.get_errno())}")


def format_outcome(name, outcome):
    (memory_before, files_before, threads_before), (memory_after, files_after, threads_after) = (
        outcome.before, outcome.after)
    yield (f"{name:32} {outcome.lost:26} {outcome.recovery:42} {memory_before:>6} → {memory_after:<6}"
           f" {files_before:>4} → {files_after:<4} {threads_before:>2} → {threads_after:<2}  "
           f"{'FAILED' if outcome.failures else 'passed'}")
    for remark in outcome.remarks:
        yield f"{INDENT}{remark}"
    for failure in outcome.failures:
        yield f"{INDENT}failed: {failure}"


def main():
    parser = harness.argument_parser(__doc__)
    parser.add_argument("--only", default="", help="names, or beginnings of names, separated by commas")
    parser.add_argument("--list", action="store_true", help="print the faults and what each is")
    options = parser.parse_args()
    if options.list:
        for name, fault in FAULTS.items():
            print(f"{name:32} {fault.__doc__.splitlines()[0]}")
        return
    chosen = {name: fault for name, fault in FAULTS.items()
              if any(name.startswith(part) for part in options.only.split(","))}
    if not chosen:
        sys.exit(f"--only: no fault's name begins with {options.only}; --list prints them")
    harness.require_root()
    harness.raise_open_file_limit()
    unshare_mounts()
    print(harness.describe_machine(), flush=True)
    print(f"{'fault':32} {'lost':26} {'fixes again':42} {'memory, KiB':15} {'descriptors':11} {'threads':8} verdict")
    failed = []
    for name, fault in chosen.items():
        start = time.monotonic()
        try:
            outcome = fault(options)
            lines, is_failed = format_outcome(name, outcome), bool(outcome.failures)
        except Exception:
            lines, is_failed = [f"{name:32} FAILED", traceback.format_exc()], True
        print("\n".join(lines), f"{INDENT}({time.monotonic() - start:.0f} s)", sep="\n", flush=True)
        failed += [name] * is_failed
    print(harness.describe_machine())
    harness.exit_if_failed(failed)


if __name__ == "__main__":
    main()
