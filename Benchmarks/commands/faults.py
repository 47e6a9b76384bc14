#!/usr/bin/env python3
"""Faults on the real thing, one after the other: what is lost, and how long until fixes flow again.

Exits with 1 if a promise is broken. Needs root, gpsd and about ten minutes.
"""

import argparse
import ctypes
import os
import sys
import time
import traceback

import import_path  # Before the packages of the benchmarks, which it makes known.
from library import harness as stage
from faults import clock, connections as crowds, daemon, disk, memory, gpsd as receivers

FAULTS = {f"{group}.{fault.__name__}": fault for group, faults in (
    ("gpsd", receivers.FAULTS), ("daemon", daemon.FAULTS), ("disk", disk.FAULTS),
    ("crowd", crowds.FAULTS), ("clock", clock.FAULTS), ("memory", memory.FAULTS),
) for fault in faults}
INDENT = 29 * " "


def alone():
    """What is mounted from here on is seen by this program and its children alone, and goes with them."""
    libc = ctypes.CDLL(None, use_errno=True)
    new_namespace, recursively_private = 0x20000, 0x44000
    if libc.unshare(new_namespace) or libc.mount(b"none", b"/", None, recursively_private, None):
        sys.exit(f"no mounts of one's own: {os.strerror(ctypes.get_errno())}")


def shown(name, outcome):
    (memory, files, threads), (memory_after, files_after, threads_after) = outcome.before, outcome.after
    yield (f"{name:28} {outcome.lost:26} {outcome.again:42} {memory:>6} → {memory_after:<6}"
           f" {files:>4} → {files_after:<4} {threads:>2} → {threads_after:<2}  {'BROKEN' if outcome.broken else 'held'}")
    for remark in outcome.remarks:
        yield f"{INDENT}{remark}"
    for promise in outcome.broken:
        yield f"{INDENT}broken: {promise}"


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--daemon", default=stage.BUILT, help="a release build of the daemon")
    options.add_argument("--only", default="", help="names, or beginnings of names, with commas between them")
    options.add_argument("--list", action="store_true", help="print the faults and what each is")
    options = options.parse_args()
    if options.list:
        for name, fault in FAULTS.items():
            print(f"{name:28} {fault.__doc__.splitlines()[0]}")
        return
    chosen = {name: fault for name, fault in FAULTS.items()
              if any(name.startswith(part) for part in options.only.split(","))}
    if not chosen:
        sys.exit(f"--only: no fault's name begins with {options.only}; --list tells them")
    stage.need_root()
    stage.allow_many_files()
    alone()
    print(stage.machine(), flush=True)
    print(f"{'fault':28} {'lost':26} {'flows again':42} {'memory, KiB':15} {'descriptors':11} {'threads':8} verdict")
    broken = []
    for name, fault in chosen.items():
        began = time.monotonic()
        try:
            outcome = fault(options)
            lines, is_broken = shown(name, outcome), bool(outcome.broken)
        except Exception:
            lines, is_broken = [f"{name:28} BROKEN", traceback.format_exc()], True
        print("\n".join(lines), f"{INDENT}({time.monotonic() - began:.0f} s)", sep="\n", flush=True)
        broken += [name] * is_broken
    print(stage.machine())
    if broken:
        sys.exit("broken: " + ", ".join(broken))


if __name__ == "__main__":
    main()
