"""What an administrator does with the package and what happens to a machine, in the order in which it stands here.

Everything is the real thing: Debian's systemd and gpsd, the package, and a receiver on a pseudo terminal.
"""

import argparse
import pathlib
import sys
import time

import agent
import bridge
import clients
import compass
import ends
import failures
import fleet
import geoclue
import history
import journal
import libraries
import nearby
import package
import places
import settings
import takeover
import users
import web
from machine import Machine
from patience import Failure
from scene import Scene

CHECKS = [
    package.the_package_installs,
    clients.an_ordinary_user_starts_the_service,
    clients.control_is_refused_to_ordinary_users,
    clients.administrators_are_told_at_login_what_waits,
    clients.the_first_fix_comes_through_both_sockets,
    clients.use_is_told_from_login_sessions,
    clients.a_client_watches,
    failures.a_killed_daemon_comes_back,
    failures.a_daemon_whose_reader_hangs_is_replaced,
    settings.a_new_configuration_is_taken,
    settings.a_wrong_configuration_changes_nothing,
    failures.gpsd_goes_and_comes,
    settings.a_remote_gpsd_needs_the_drop_in,
    settings.metrics_need_the_drop_in,
    compass.a_compass_gives_headings,
    libraries.programs_use_the_libraries,
    bridge.the_bridge_serves_programs_of_gpsd,
    geoclue.the_bus_serves_programs_of_geoclue,
    history.the_track_is_recorded,
    fleet.the_position_is_published,
    web.the_pages_are_served,
    nearby.a_place_is_known_without_a_receiver,
    agent.the_person_at_the_screen_decides,
    users.programs_get_users_by_an_upgrade,
    users.a_program_says_which_line_is_not_for_it,
    takeover.programs_taken_over_get_nothing_else,
    nearby.it_gets_nothing_else_taken_over,
    users.purged_programs_leave_their_users_alone,
    clients.the_bridge_speaks_nmea,
    package.an_upgrade_is_a_reconnect_to_clients,
    ends.a_stopped_service_returns_with_its_clients,
    ends.sockets_and_service_stop_together,
    places.the_places_packages_install,
    places.an_ordinary_user_asks_for_a_place,
    places.the_places_end_when_nobody_asks,
    places.a_provider_of_places_needs_the_drop_in,
    places.purged_places_leave_nothing,
    journal.events_are_in_the_journal_with_fields,
    journal.nothing_failed,
    package.a_removed_package_leaves_only_its_settings,
    package.a_purged_package_leaves_nothing,
]
#: What a failure is judged by.
REPORTS = [
    ("journalctl", "--no-pager", "--lines=80", "--unit=locationd*", "--unit=gpsd*", "--unit=receiver"),
    ("systemctl", "status", "--no-pager", "--full", "locationd*", "gpsd*"),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tree", required=True, help="a prepared Debian")
    parser.add_argument("--material", required=True, type=pathlib.Path, help="what the machine finds in /mnt")
    parser.add_argument("--log", required=True, help="where the machine's console goes")
    parser.add_argument("--deadly", action="store_true", help="refused system calls kill")
    parser.add_argument("--older-kernel", action="store_true", help="the kernel has the calls of Debian 12's")
    options = parser.parse_args()
    [deb] = options.material.glob("locationd_*.deb")
    mounts = {options.material.resolve(): "/mnt"}
    with Machine(options.tree, mounts, options.log, options.older_kernel) as machine:
        scene = Scene(machine, deb, options.deadly)
        for check in CHECKS:
            start = time.monotonic()
            try:
                check(scene)
            except Failure as failure:
                print(f"failed: {check.__name__.replace('_', ' ')}\n{failure}")
                for command in REPORTS:
                    print(f"== {' '.join(command)}\n{machine.attempt(*command).stdout}")
                sys.exit(1)
            print(f"{time.monotonic() - start:5.1f} s  {check.__name__.replace('_', ' ')}", flush=True)


main()
