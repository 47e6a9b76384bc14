"""Compares the daemon with gpsd itself over logs of real receivers.

    compare.py --daemon LOCATIOND --logs FOLDER [--receivers N] [--through-bridge LOCATIOND-BRIDGE]

Every `*.log` in the folder is replayed by a gpsd of its own to two clients at once: the daemon, and a plain JSON
client. Each fix that gpsd tells the plain client must come out of the daemon's watch (`everySource`) as one location,
at once and in order, equal in every field to the numbers gpsd printed; nothing else may come out. With `--receivers`
each gpsd has that many receivers, with a log each and taking turns, which shows whether anything is mixed up. With
`--through-bridge` a JSON client of locationd-bridge must be told each of the same fixes, too, with equal TPV fields,
but those that the daemon holds back as implausible (`implausible` in the watch).

The rules, where gpsd's stream leaves a choice:

- A fix is a TPV with mode 2 or 3, `lat` and `lon`. Mode 3 without a position is none; mode 2 keeps its altitude.
- Every fix is a location of its own, and the first of an epoch waits for nothing. Only an exact repeat is left out: a
  fix that equals, in all of a location's fields, the fix before it of the same device, when both carry the same time.
  The sky's fields belong to these; what a location does not have (`ept`, `sep`, ...) does not. A TPV without a fix
  in between changes nothing.
- A fix without time is never a repeat.
- Time may run backwards or by years; order is gpsd's, not time's. The leap second 23:59:60 is printed by gpsd as the
  next day's 00:00:00, so that two epochs have one time: both are locations unless nothing else differs either.
- `hdop`, `vdop` and `pdop` are those of the same device's last SKY before the fix, as a whole: what that SKY lacks is
  absent. `satellitesUsed` is that of the last SKY that says how many there are, by `uSat`, or else by the number of used
  satellites in its list: since 3.25 gpsd sends a SKY of the dilutions alone after that with the satellites. A sky is
  used at any age, for the daemon forgets it after 10 s only and a replay is faster (this is checked).
- `accuracyBasis` is `stated` only of a receiver whose log has messages with an accuracy, and `fromDOP` only where gpsd's
  numbers are products of the dilutions it sends. Where neither the log nor the numbers tell, the daemon has the choice, and the
  run says so; see `basis.py`.
- `augmentation` is `status` from 2 to 9, else absent. No number is rounded; 3 and 3.0 are the same number.
- `sequence` rises by one, `age` is 0 to 5 s, `dropped` never appears, and the source is neither simulated (unless the
  receiver says that it simulates) nor replayed.

The feed begins when gpsd has granted both clients' WATCH and opened the device, and goes on packet by packet, each
when the daemon has caught up. The end is found by a second receiver, the marker: see `marker.py`.

Exit status: 0 if every log matches, 1 if one does not, 2 if there is nothing to compare with or to compare.
"""

import argparse
import asyncio
import glob
import os
import signal
import sys

import session

#: Runs at a time.
WIDTH = 2


def parse():
    parser = argparse.ArgumentParser(description="Compares locationd with gpsd over logs of receivers.")
    parser.add_argument("--daemon", required=True, metavar="PATH", help="the locationd to be tested")
    parser.add_argument("--logs", required=True, metavar="DIR", help="the folder that holds the *.log files")
    parser.add_argument("--receivers", type=int, default=1, choices=(1, 2, 3),
                        help="logs that one gpsd replays at once")
    parser.add_argument("--through-bridge", metavar="PATH", help="the locationd-bridge to be tested with it")
    options = parser.parse_args()
    options.files = sorted(glob.glob(os.path.join(options.logs, "*.log")))
    if not options.files:
        parser.error("there are no logs in %s" % options.logs)
    if options.through_bridge and options.receivers > 1:
        parser.error("a client of the bridge is told one receiver at a time: --through-bridge goes with one receiver")
    if not os.access(options.daemon, os.X_OK) or os.path.isdir(options.daemon):
        parser.error("%s is not a program" % options.daemon)
    return options


async def compare_all(options):
    """Runs all logs, prints a line for each run in order, and returns whether all match."""
    gate = asyncio.Semaphore(WIDTH)

    async def one(files):
        async with gate:
            return await session.run(os.path.abspath(options.daemon), files, options.through_bridge)

    results, step = [], options.receivers
    runs = [options.files[start:start + step] for start in range(0, len(options.files), step)]
    async with asyncio.TaskGroup() as group:
        for running in [group.create_task(one(files)) for files in runs]:
            result = await running
            results.append(result)
            verdict = "DIFFERS: " + result.difference if result.difference is not None else (
                "matches; cannot tell whose accuracy it is" if result.is_untold else "matches")
            print("%-*s %4d TPVs %4d fixes %3d repeats %4d locations (%d stated, %d from DOP)  %s" % (
                24 * step, result.name, result.tpvs, result.fixes, result.repeats, result.locations,
                result.bases.get("stated", 0), result.bases.get("fromDOP", 0), verdict), flush=True)
    matching = [result for result in results if result.difference is None]
    # Once more at the end, where whoever sees only the last lines of a long run finds it.
    for result in results:
        if result.difference is not None:
            print("%s DIFFERS: %s" % (result.name, result.difference))
    print("%d of %d %s match: %d fixes, of which %d exact repeats" % (
        len(matching), len(results), "logs" if step == 1 else "runs", sum(result.fixes for result in matching),
        sum(result.repeats for result in matching)))
    if options.through_bridge:
        print("%d fixes were held back as implausible" % sum(result.held_back for result in matching))
    return len(matching) == len(results)


async def main(options):
    """As `compare_all`, but a signal ends the run in good order: processes and folders go first."""
    work = asyncio.create_task(compare_all(options))
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, lambda: work.cancelling() or work.cancel())
    try:
        return 0 if await work else 1
    except asyncio.CancelledError:
        print("interrupted", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main(parse())))
